const sans = `system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif`
export const mono = `ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace`

/**
 * The colors and base rules of all pages, with which each stylesheet below begins. Fonts come from the system and there are no
 * pictures, so nothing is loaded from another server. Text has a contrast of at least 4.5 in both themes, and edges of
 * controls of at least 3.
 */
export const theme = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f4f7, #0f1218); --card: light-dark(#ffffff, #181c25);
  --line: light-dark(#e2e5eb, #2b313d); --edge: light-dark(#7b8494, #7f899b);
  --text: light-dark(#171b24, #e9ecf2); --muted: light-dark(#565f6e, #a5aebd);
  --accent: light-dark(#2456c9, #8fb3ff); --accent-over: light-dark(#1b459f, #b0c9ff);
  --on-accent: light-dark(#ffffff, #0d1526);
  --good: light-dark(#12703f, #7ad9a4); --good-ground: light-dark(#e2f4ea, #16301f);
  --bad: light-dark(#b3261e, #ff9d94); --bad-ground: light-dark(#fce9e7, #3a1b1a);
  --quiet-ground: light-dark(#eceef2, #262b36);
  --shadow:
    0 1px 2px light-dark(rgb(23 27 36 / 6%), rgb(0 0 0 / 40%)),
    0 12px 32px light-dark(rgb(23 27 36 / 8%), rgb(0 0 0 / 32%));
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
body { margin: 0 auto; background: var(--ground); color: var(--text); font: 1rem/1.5 ${sans}; }
a { color: var(--accent); text-underline-offset: .2em; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere; }
p { margin: 0 0 .75rem; }
code, pre { font-family: ${mono}; font-size: .8125rem; overflow-wrap: anywhere; }
pre code { font-size: inherit; }
pre, .curl { margin: 0 0 .75rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--ground); }
pre { padding: .75rem 1rem; overflow: auto; white-space: pre-wrap; }
.curl { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: start; }
.curl pre { margin: 0; border: 0; background: none; }
.curl span { white-space: pre-wrap; }
.curl span:not(.body) { display: inline-block; max-width: 100%; vertical-align: top; }
.curl button { min-height: 2rem; margin: .375rem; padding: .125rem .625rem; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.25rem; padding: .375rem .75rem;
  border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--text); font: inherit;
  font-size: .875rem; font-weight: 600; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--text); }
.first { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.first:hover { border-color: var(--accent-over); background: var(--accent-over); }
@media (forced-colors: active) { .first, [aria-current], [aria-pressed=true] { border-width: 3px; } }
`

export const docsStyles = `${theme}
body { max-width: 56rem; padding: clamp(1rem, 5vw, 3rem) clamp(.75rem, 4vw, 2rem) 4rem; }
h1 { margin-bottom: .5rem; font-size: 1.75rem; }
h2 { margin: 0 0 .25rem; font-size: 1.25rem; overflow-wrap: anywhere; }
h3 { margin: 1.25rem 0 .375rem; font-size: .9375rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
li { margin: 0 0 .25rem; overflow-wrap: anywhere; }
small, nav code, header > p:first-child { color: var(--muted); }
nav h2 { margin-top: 1.25rem; font-size: 1rem; }
section, .doors li {
  margin: 1.5rem 0 0; padding: clamp(1rem, 4vw, 1.5rem); border: 1px solid var(--line); border-radius: 1rem;
  background: var(--card);
}
section:target { border-color: var(--accent); }
.route { color: var(--muted); }
.scroll { overflow-x: auto; }
table { width: 100%; border-spacing: 0; font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--muted); font-weight: 500; }
tbody th { font-weight: 400; white-space: nowrap; }
.next { margin-top: 2rem; }
strong.active { color: var(--accent); }
strong.completed { color: var(--good); }
strong.canceled { color: var(--muted); }
.doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem; padding: 0; list-style: none; }
.doors li { margin: 0; }
.doors a { font-size: 1.125rem; font-weight: 600; }
.doors p { margin: .25rem 0 0; color: var(--muted); }
`

export const paymentStyles = `${theme}body {
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.25rem;
  min-height: 100vh; min-height: 100dvh; padding: 1.25rem 1rem;
}
header, main, footer { width: 100%; max-width: 27rem; }
header p { margin: 0; color: var(--muted); font-size: .875rem; text-align: center; text-wrap: balance; }
header strong {
  margin-right: .375rem; padding: .125rem .5rem; border: 1px solid var(--edge); border-radius: 1rem;
  font-size: .75rem; letter-spacing: .04em; text-transform: uppercase;
}
main {
  padding: clamp(1.25rem, 6vw, 2rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
}
h1 { margin-bottom: 1rem; text-wrap: balance; }
main > p { margin: 0 0 1rem; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
.sign {
  display: block; width: 3rem; height: 3rem; margin: 0 0 1rem; padding: .625rem; border-radius: 50%;
  fill: none; stroke: currentcolor; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round;
}
.good .sign { color: var(--good); background: var(--good-ground); }
.bad .sign { color: var(--bad); background: var(--bad-ground); }
.quiet .sign { color: var(--muted); background: var(--quiet-ground); }
dl { margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
dl > div {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem;
  padding: .625rem 0; border-bottom: 1px solid var(--line);
}
dt { color: var(--muted); }
dd { min-width: 0; margin: 0; overflow: hidden; font-weight: 500; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd.none { color: var(--muted); font-weight: 400; }
time { white-space: nowrap; }
form { display: grid; gap: .75rem; margin: 0; }
button, .button {
  width: 100%; min-height: 3rem; padding: .625rem 1.25rem; border-radius: .625rem; background: transparent;
  font-size: 1rem; text-align: center; overflow-wrap: anywhere;
}
.first { background: var(--accent); }
.after { margin: 1rem 0 0; color: var(--muted); font-size: .875rem; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .8125rem; text-align: center; overflow-wrap: anywhere; }
footer p { margin: 0 0 .25rem; }
footer a { margin: 0 .25rem; color: inherit; }
footer bdi { font-family: ${mono}; }
`
