/** The version of the package. A test compares it with `package.json`, which code for browsers cannot read. */
export const version = '0.1.0'
