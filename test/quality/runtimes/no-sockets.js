// A worker opens no socket: what needs one is left out before it comes to this.
export const request = () => {
  throw new Error('mock.listen is not a function')
}
