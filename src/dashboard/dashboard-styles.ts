import { mono, theme } from '../core/pages/styles.ts'

export const dashboardStyles = `${theme}
body {
  max-width: 80rem; min-height: 100vh; padding: 0 clamp(.75rem, 3vw, 2rem) 6rem; font-size: .9375rem;
}
.skip { position: absolute; left: -99rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; padding: 1rem 0 .75rem; }
.brand { color: var(--text); font-weight: 700; letter-spacing: -.01em; text-decoration: none; }
#bar { display: flex; flex: 1; flex-wrap: wrap; align-items: center; gap: .25rem .5rem; min-width: 0; min-height: 2.25rem; }
#bar div { display: flex; align-items: center; gap: .5rem; min-width: 0; }
#bar p { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 .25rem; color: var(--muted); font-size: .875rem; }
#bar label { color: var(--muted); font-size: .875rem; font-weight: 400; }
#bar select { max-width: min(16rem, 60vw); width: auto; }
#sections {
  position: relative; display: flex; gap: .125rem; margin: 0 0 1.25rem; overflow-x: auto; border-bottom: 1px solid var(--line);
}
#sections a {
  flex: none;
  padding: .5rem .75rem; border-radius: .5rem .5rem 0 0; border-bottom: 3px solid transparent;
  color: var(--muted); font-weight: 500; text-decoration: none;
}
#sections a:focus-visible { outline-offset: -3px; }
#sections a:hover { color: var(--text); }
#sections a[aria-current] { border-color: var(--accent); color: var(--text); }
main:focus, h1:focus { outline: none; }
h2 { margin: 2rem 0 .5rem; font-size: 1.0625rem; }
h3 { margin: 0 0 .25rem; font-size: .9375rem; overflow-wrap: anywhere; }
.lead, small, .none { color: var(--muted); }
.none { margin: 0 0 1rem; padding: 1rem; border: 1px dashed var(--edge); border-radius: .625rem; }
.none p { margin: 0 0 .5rem; }
.none .curl { margin: 0; }
.big { margin: 1rem 0 .25rem; font-size: 1.75rem; font-variant-numeric: tabular-nums; }
small { display: block; font-size: .8125rem; font-weight: 400; }
.bar { display: flex; flex-wrap: wrap; align-items: flex-start; justify-content: space-between; gap: .75rem; margin: 1rem 0; }
.bar > form { min-width: 0; }
.actions + .row { margin-top: .75rem; }
.row { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5rem; }
.row > button, .grid > button, label.check, .bar > :not(.row, .add[open]) { margin-top: 1.3125rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); align-items: start; gap: .75rem 1rem; }
.grid > button { justify-self: start; }
.elsewhere { grid-column: 1 / -1; margin: 0; }
[aria-busy=true] button { opacity: .6; cursor: progress; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: .75rem; margin: 1rem 0; }
.card, dl, table, details, .switches {
  background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
}
.card { display: flex; flex-direction: column; gap: .5rem; min-width: 0; padding: .875rem 1rem; }
.card p { flex: 1; margin: 0; }
.wide { grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.wide > section { min-width: 0; }
.wide h2 { margin-top: 0; }
label { display: grid; gap: .125rem; min-width: 0; font-size: .8125rem; font-weight: 600; }
label.check { display: flex; align-items: center; gap: .375rem; min-height: 2.25rem; }
input:not([type=checkbox]), select, textarea {
  width: 100%; min-height: 2.25rem; padding: .375rem .625rem; border: 1px solid var(--edge); border-radius: .5rem;
  background: var(--card); color: inherit; font: inherit; font-weight: 400; font-size: .875rem;
}
:is(input, select, textarea)[aria-invalid=true] {
  border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); scroll-margin-bottom: 8rem;
}
small.problem { width: 0; min-width: 100%; margin-top: .375rem; color: var(--bad); }
textarea { font-family: ${mono}; }
::placeholder { color: var(--muted); opacity: 1; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }
fieldset fieldset { margin-bottom: .75rem; }
.chooser { max-width: 20rem; margin-bottom: .75rem; }
.required::after { color: var(--bad); content: ' *' / ''; }
legend { padding: 0 0 .5rem; font-size: .9375rem; font-weight: 600; }
button, .button { white-space: nowrap; }
.danger { color: var(--bad); }
.danger:hover { border-color: var(--bad); background: var(--bad-ground); }
.actions { display: flex; flex-wrap: wrap; gap: .375rem; }
td .actions > form > button, td .menu > summary { min-height: 1.875rem; padding: .1875rem .5rem; font-size: .8125rem; }
#live::before { content: ''; width: .5rem; height: .5rem; margin-right: .375rem; border-radius: 50%; background: var(--bad); }
#live[data-state=on]::before { background: var(--good); }
#live:is([data-state=off], [data-state=paused])::before { background: none; box-shadow: inset 0 0 0 2px var(--edge); }
table { width: 100%; border-spacing: 0; margin: 0 0 1rem; font-size: .875rem; }
tbody tr:hover { background: color-mix(in srgb, var(--ground) 45%, transparent); }
th, td { padding: .5rem .75rem; text-align: left; vertical-align: baseline; overflow-wrap: break-word; }
tbody :is(a, bdi, small) { overflow-wrap: anywhere; }
thead th { color: var(--muted); font-size: .8125rem; font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
tbody th, tbody td { border-top: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; }
time { white-space: nowrap; }
.badge {
  display: inline-block; padding: 0 .5rem; border-radius: 1rem; background: var(--quiet-ground); color: var(--muted);
  font-size: .8125rem; font-weight: 500; white-space: nowrap;
}
.badge.good { background: var(--good-ground); color: var(--good); }
.badge.bad { background: var(--bad-ground); color: var(--bad); }
.badge.plain { background: none; color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.pager { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: 0 0 1rem; }
details { margin: 0 0 1rem; padding: 0 1rem; }
.menu, .add { margin: 0; padding: 0; border: 0; background: none; }
.menu { position: relative; }
summary::-webkit-details-marker { display: none; }
.menu > summary::after { content: ''; width: .375rem; height: .375rem; margin: -.25rem 0 0 .5rem; border: solid; border-width: 0 2px 2px 0; transform: rotate(45deg); }
.menu > div {
  position: absolute; z-index: 1; top: calc(100% + .25rem); right: 0; display: grid; gap: .25rem; min-width: 9rem; padding: .375rem;
  border: 1px solid var(--line); border-radius: .625rem; background: var(--card); box-shadow: var(--shadow);
}
.menu form { display: grid; }
.menu > div :is(button, .button) { justify-content: flex-start; border-color: transparent; background: none; }
.menu > div :is(button, .button):hover { border-color: transparent; background: var(--ground); }
.add[open] { order: 1; flex-basis: 100%; padding: 1rem; border: 1px solid var(--line); background: var(--card); }
.add[open] > summary { margin-bottom: .75rem; padding: 0; border: 0; min-height: 0; background: none; color: inherit; font-size: 1rem; }
details[open]:not(.menu) { padding-bottom: 1rem; }
summary { padding: .625rem 0; font-weight: 600; cursor: pointer; }
td > details:not(.menu), td > details[open]:not(.menu) { margin: 0; padding: 0; border: 0; background: none; }
td > details:not(.menu) > summary { padding: 0; font-weight: 500; }
td .curl { margin: .375rem 0; }
.situations table { table-layout: fixed; }
.situations thead th:first-child { width: 16rem; }
.situations thead th:nth-child(2) { width: 7rem; }
.situations > details { margin-bottom: .5rem; }
dl { margin: .75rem 0 1rem; padding: 0 1rem; }
dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; }
dl > div + div { border-top: 1px solid var(--line); }
dt { width: 8rem; color: var(--muted); }
dd { flex: 1; min-width: min(12rem, 100%); margin: 0; overflow-wrap: anywhere; }
pre { max-height: 24rem; }
pre, .curl { background: var(--card); }
dd pre, .card pre { margin: .25rem 0 0; background: var(--ground); }
.switches { margin: 1rem 0; }
.switch { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1.5rem; padding: .75rem 1rem; }
.switch + .switch { border-top: 1px solid var(--line); }
.switch > :first-child { flex: 1 1 16rem; min-width: 0; }
.switch p { margin: 0; color: var(--muted); font-size: .875rem; }
.choice { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem; }
.choice [aria-pressed=true] { border-color: var(--text); background: var(--quiet-ground); box-shadow: inset 0 0 0 1px var(--text); }
.choice [aria-pressed=false] { font-weight: 500; }
.changed [aria-pressed=true] { border-color: var(--accent); box-shadow: none; background: var(--accent); color: var(--on-accent); }
.notices { position: fixed; inset: auto 0 0; display: grid; justify-items: center; gap: .5rem; padding: 1rem; pointer-events: none; }
.notices > :not(:empty) {
  max-width: min(44rem, 100%); padding: .625rem 1rem; border-radius: .75rem; box-shadow: var(--shadow);
  background: var(--good-ground); color: var(--good); font-weight: 500; overflow-wrap: anywhere; pointer-events: auto;
}
.notices > .quiet { background: var(--card); color: var(--text); box-shadow: var(--shadow), inset 0 0 0 1px var(--edge); }
.notices > #error:not(:empty) { border: 1px solid var(--bad); background: var(--bad-ground); color: var(--bad); }
#error:not(:empty) { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; }
#error p { grid-column: 1; margin: 0; }
#error button { grid-area: 1 / 2; min-height: 0; padding: 0 .5rem; border-color: currentcolor; background: none; color: inherit; }
#error p + p { font-weight: 400; }
dialog {
  width: min(27rem, calc(100% - 2rem)); padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--card); color: var(--text); box-shadow: var(--shadow);
}
dialog::backdrop { background: rgb(0 0 0 / 45%); }
dialog h2 { margin-top: 0; }
dialog label { gap: .5rem; }
dialog .actions { margin-top: 1rem; }
.scope { margin: 0 0 .5rem; overflow-wrap: anywhere; color: var(--muted); font-size: .875rem; }
dialog [role=alert] { margin: .5rem 0; color: var(--bad); }
@media (min-width: 68rem) { td .actions { flex-wrap: nowrap; } }
@media (max-width: 47rem) {
  #bar { flex: 1 0 100%; order: 1; }
  #live { margin-left: auto; }
  #sections a { padding: .375rem .5rem; }
  .scroll { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); overflow-x: auto; }
  .scroll table { margin: 0; border: 0; }
  th, td { min-width: 6rem; padding: .5rem .625rem; }
  tbody th { min-width: 9rem; }
  [data-column=Actions] { position: sticky; right: 0; min-width: 0; background: var(--card); }
  .menu > div { position: static; }
  td .actions > form > button, td .menu > summary { min-height: 2.5rem; padding: .375rem .75rem; }
}
`
