import type { CallPlane } from './calls.ts'
import type { createFollower } from './follow.ts'
import type { requestOf } from './forms.ts'
import type { createNotices, Refused } from './notices.ts'
import type { swapInto } from './swap.ts'
import type { createTake } from './take.ts'

interface Parts {
  readonly call: CallPlane
  readonly createFollower: typeof createFollower
  readonly createNotices: typeof createNotices
  readonly createTake: typeof createTake
  readonly requestOf: typeof requestOf
  readonly swapInto: typeof swapInto
}

/**
 * Brings the dashboard to life: the address says which project and which view, forms call the control plane, and what
 * happens meanwhile shows.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const start = ({ call, createFollower, createNotices, createTake, requestOf, swapInto }: Parts): void => {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector)!
  const main = find('main')
  const bar = find('#bar')
  const live = find('#live')
  const projectOf = () => new URLSearchParams(location.search).get('project') ?? ''
  const viewOf = () => location.hash.slice(1) || (projectOf() === '' ? 'projects' : 'payment-links')
  const isLive = () => live.getAttribute('aria-pressed') === 'true'
  const { say, complain } = createNotices()
  const take = createTake(call, say)
  let shown = { at: '', markup: '' }
  let followed: string | undefined
  let turns = 0
  let underWay = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const fragment = async (view: string): Promise<string> => {
    const [name = '', query = ''] = view.split('?', 2)
    const parameters = new URLSearchParams(query)
    if (projectOf() !== '') parameters.set('project', projectOf())
    // The address may be of somebody else's making: it names a view, and leads nowhere else.
    const response = await call(`dashboard/${encodeURIComponent(name.replaceAll('.', ''))}?${parameters}`)
    if (!response.ok) throw (await response.json()) as Refused
    return response.text()
  }
  const refreshBar = async () => {
    const markup = await fragment('bar')
    // A list of choices that is open must not be taken away.
    if (!bar.contains(document.activeElement)) swapInto(bar, markup, { keep: false })
  }
  /** Shows what the address says. Of two visits that overlap the later one shows. */
  const visit = async (how: 'arrive' | 'stay', sent?: HTMLFormElement) => {
    const turn = ++turns
    const at = location.search + viewOf()
    underWay++
    try {
      const markup = await fragment(viewOf())
      if (turn !== turns) return
      if (at !== shown.at || markup !== shown.markup) swapInto(main, markup, { keep: at === shown.at, sent })
      shown = { at, markup }
    } catch (error) {
      if (turn !== turns) return
      complain(error as Refused)
      if (at !== shown.at) main.replaceChildren()
      shown = { at, markup: '' }
    } finally {
      underWay--
    }
    const title = main.querySelector('h1')
    document.title = `${title?.textContent ?? 'Dashboard'} - paylink-mock`
    if (how === 'arrive') title?.focus({ preventScroll: true })
  }
  /** A browser has few connections to one server: a page that nobody looks at needs none. */
  const listen = () => {
    const path = projectOf() === '' ? 'events' : `projects/${encodeURIComponent(projectOf())}/events`
    follow(document.hidden || !isLive() ? undefined : path)
  }
  /** Follows the address to another project or view. */
  const arrive = async (how: 'arrive' | 'stay') => {
    if (followed !== projectOf()) {
      followed = projectOf()
      listen()
      void refreshBar().catch(complain)
    }
    if (location.search + viewOf() === shown.at) return
    const name = viewOf().split('?', 1)[0]!
    for (const link of document.querySelectorAll('#sections a')) {
      const leads = link.getAttribute('href')!.slice(1)
      if (leads === name || leads === `${name}s` || (leads === 'journal' && name === 'request'))
        link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    if (shown.at !== '') say('')
    await visit(how)
  }
  const refresh = () => {
    timer = undefined
    const { activeElement } = document
    const types = main.contains(activeElement) && activeElement!.matches('input, select, textarea')
    const marks = getSelection()?.isCollapsed === false
    if (document.hidden || !isLive() || underWay > 0) return
    void refreshBar().catch(() => undefined)
    if (!types && !marks && main.querySelector('[data-live]') !== null) void visit('stay')
  }
  // However much happens, the page is made anew twice a second at most.
  const soon = () => {
    timer ??= setTimeout(refresh, 500)
  }
  const follow = createFollower(call, {
    onEvent: soon,
    onState: (connected) => {
      live.classList.toggle('off', !connected)
      live.textContent = connected ? 'Live' : 'Not connected'
    },
  })
  const send = async (form: HTMLFormElement, submitter: HTMLElement | null) => {
    say('')
    const { path, init } = requestOf(form, submitter)
    const response = await call(path, init)
    if (!response.ok) throw (await response.json()) as Refused
    const { next, done: said = '' } = form.dataset
    if (next !== undefined) location.assign(next)
    else await visit('stay', form)
    await refreshBar()
    say(said)
  }
  const ask = (form: HTMLFormElement) => {
    const fields = Array.from(new FormData(form)).filter(([, value]) => value !== '') as [string, string][]
    location.hash = `${form.dataset.view}${fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''}`
  }
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (form.method === 'dialog') return
    event.preventDefault()
    if (form.dataset.view !== undefined) ask(form)
    else void send(form, event.submitter).catch(complain)
  })
  document.addEventListener('click', (event) => {
    const target = event.target as HTMLElement
    const { copy: id, download: path, name = '' } = target.dataset
    // The part behind `#` names the view: to skip to the content must not change it.
    if (target.matches('.skip')) {
      event.preventDefault()
      main.focus()
    }
    if (id !== undefined) void take.copy(id)
    if (path !== undefined) void take.download(path, name).catch(complain)
  })
  document.addEventListener('change', (event) => {
    const { id, value } = event.target as HTMLSelectElement
    if (id !== 'project') return
    const section = find('#sections [aria-current]')?.getAttribute('href') ?? ''
    history.pushState(
      null,
      '',
      `${value === '' ? location.pathname : `?project=${encodeURIComponent(value)}`}${section}`,
    )
    void arrive('stay')
  })
  live.addEventListener('click', () => {
    live.setAttribute('aria-pressed', String(!isLive()))
    listen()
  })
  document.addEventListener('visibilitychange', listen)
  addEventListener('hashchange', () => void arrive('arrive'))
  addEventListener('popstate', () => void arrive('arrive'))
  void arrive('stay')
}
