/** A text as one word of the shell, whatever it holds: what a terminal would act upon is written out. */
export const shellQuote = (text: string): string => {
  if (/^[\w./:=-]+$/.test(text)) return text
  if (!control.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const written = text
    .replace(/[\\']/g, String.raw`\$&`)
    .replace(new RegExp(control, 'gu'), (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${written}'`
}

// Tabs and ends of lines harm nobody within quotes.
const control = /[^\P{Cc}\n\t]/u
