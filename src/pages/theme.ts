const sans = `system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif`
export const mono = `ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace`

/**
 * The colors and base rules of all pages, with which each stylesheet begins. Fonts come from the system and there are no
 * pictures, so nothing is loaded from another server. Text has a contrast of at least 4.5 in both themes, and edges of
 * controls of at least 3.
 */
export const theme = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f7; --card: #ffffff; --line: #e2e5eb; --edge: #7b8494;
  --text: #171b24; --muted: #565f6e;
  --accent: #2456c9; --accent-over: #1b459f; --on-accent: #ffffff;
  --good: #12703f; --good-ground: #e2f4ea; --bad: #b3261e; --bad-ground: #fce9e7;
  --quiet: #565f6e; --quiet-ground: #eceef2;
  --shadow: 0 1px 2px rgb(23 27 36 / 6%), 0 12px 32px rgb(23 27 36 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1218; --card: #181c25; --line: #2b313d; --edge: #7f899b;
    --text: #e9ecf2; --muted: #a5aebd;
    --accent: #8fb3ff; --accent-over: #b0c9ff; --on-accent: #0d1526;
    --good: #7ad9a4; --good-ground: #16301f; --bad: #ff9d94; --bad-ground: #3a1b1a;
    --quiet: #a5aebd; --quiet-ground: #262b36;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 32%);
  }
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
.curl span { white-space: pre; }
.curl code { overflow-wrap: normal; }
.curl .body { white-space: pre-wrap; }
.curl button { min-height: 2rem; margin: .375rem; padding: .125rem .625rem; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.25rem; padding: .375rem .75rem;
  border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--text); font: inherit;
  font-size: .875rem; font-weight: 600; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--text); }
.first { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.first:hover { border-color: var(--accent-over); background: var(--accent-over); }
`
