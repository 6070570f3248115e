import { html as escape } from 'hono/html'

/** A piece of markup. Its values are escaped. */
export type Markup = ReturnType<typeof escape>

const cached = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

/** Markup from a template, without the indentation of the source. Values keep their white space. */
export const html: typeof escape = (template, ...values) => {
  const squeezed = cached.get(template) ?? squeeze(template)
  cached.set(template, squeezed)
  return escape(squeezed, ...values)
}

const squeeze = (template: TemplateStringsArray): TemplateStringsArray =>
  Object.assign(
    template.map((text) => text.replace(/\n\s*/g, '\n')),
    { raw: template.raw },
  )
