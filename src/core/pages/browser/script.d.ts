/** The text of a script for a page, bundled with its imports. */
declare module '*?script' {
  const text: string
  export default text
}
