import { mono, sans, theme } from './theme.ts'

/** The stylesheet of the payment page. */
export const stylesheet = `${theme}body {
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.25rem;
  min-height: 100vh; min-height: 100dvh; margin: 0; padding: 1.25rem 1rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 ${sans};
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
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
main > p { margin: 0 0 1rem; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
.sign {
  display: block; width: 3rem; height: 3rem; margin: 0 0 1rem; padding: .625rem; border-radius: 50%;
  fill: none; stroke: currentcolor; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round;
}
.good .sign { color: var(--good); background: var(--good-ground); }
.bad .sign { color: var(--bad); background: var(--bad-ground); }
.quiet .sign { color: var(--quiet); background: var(--quiet-ground); }
dl { margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
dl > div {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem;
  padding: .625rem 0; border-bottom: 1px solid var(--line);
}
dt { color: var(--muted); }
dd { min-width: 0; margin: 0; font-weight: 500; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd.none { color: var(--muted); font-weight: 400; }
form { display: grid; gap: .75rem; margin: 0; }
button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .625rem 1.25rem;
  border: 1px solid var(--edge); border-radius: .625rem; background: transparent; color: var(--text);
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--text); }
.first { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.first:hover { border-color: var(--accent-over); background: var(--accent-over); }
.after { margin: 1rem 0 0; color: var(--muted); font-size: .875rem; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .8125rem; text-align: center; overflow-wrap: anywhere; }
footer p { margin: 0; }
footer bdi { font-family: ${mono}; }
@media (forced-colors: active) { .first { border-width: 3px; } }
`
