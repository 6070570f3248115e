/** The form of a token, which is sent in a header. */
export const tokenPattern = /^[\x21-\x7e]+$/
export const tokenMessage = 'must be one or more visible ASCII characters without spaces'
