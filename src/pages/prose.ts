import { html, type Markup } from './html.ts'

/** A sentence of ours, with what stands between backticks as code, and between asterisks with stress. */
export const prose = (sentence: string): Markup =>
  html`${sentence
    .split(/(`[^`]+`|\*+\w[^*]*\*+)/)
    .map((part) =>
      part.startsWith('`')
        ? html`<code>${part.slice(1, -1)}</code>`
        : part.startsWith('*')
          ? html`<strong>${part.replaceAll('*', '')}</strong>`
          : part,
    )}`
