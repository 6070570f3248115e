/** A text as one word of the shell, whatever it holds. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
