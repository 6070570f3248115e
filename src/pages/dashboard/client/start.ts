import type { createBar } from './bar.ts'
import type { CallPlane } from './calls.ts'
import type { createConfirm } from './confirm.ts'
import type { createFollower } from './follow.ts'
import type { requestOf } from './forms.ts'
import type { createNotices, Refused } from './notices.ts'
import type { swapInto } from './swap.ts'
import type { createTake } from './take.ts'
import type { markTab } from './tabs.ts'
import type { createTicker } from './ticker.ts'

interface Parts {
  readonly call: CallPlane
  readonly createBar: typeof createBar
  readonly createConfirm: typeof createConfirm
  readonly createFollower: typeof createFollower
  readonly createNotices: typeof createNotices
  readonly createTake: typeof createTake
  readonly createTicker: typeof createTicker
  readonly markTab: typeof markTab
  readonly requestOf: typeof requestOf
  readonly swapInto: typeof swapInto
}

/**
 * Brings the dashboard to life: the address says which project and which view, forms call the control plane, and what
 * happens meanwhile shows.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const start = (parts: Parts): void => {
  const { call, requestOf, swapInto } = parts
  const find = (selector: string) => document.querySelector<HTMLElement>(selector)!
  const main = find('main')
  const live = find('#live')
  const projectOf = () => new URLSearchParams(location.search).get('project') ?? ''
  const viewOf = () => location.hash.slice(1) || (projectOf() === '' ? 'projects' : 'payment-links')
  const isLive = () => live.getAttribute('aria-pressed') === 'true'
  const { say, complain, mark } = parts.createNotices()
  const take = parts.createTake(call, say)
  const confirm = parts.createConfirm()
  const tick = parts.createTicker()
  let shown = { at: '', markup: '' }
  let followed: string | undefined
  let turns = 0
  let underWay = 0
  let isLate = false
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
  const bar = parts.createBar(fragment, tick)
  /** Shows what the address says. Of two visits that overlap the later one shows. */
  const visit = async (how: 'arrive' | 'stay', sent?: HTMLFormElement) => {
    const turn = ++turns
    const at = location.search + viewOf()
    underWay++
    try {
      const markup = await fragment(viewOf())
      if (turn !== turns) return
      // The view is there again: what was said of it is over.
      if (shown.markup === '') say('')
      if (at !== shown.at || markup !== shown.markup) swapInto(main, markup, { keep: at === shown.at, sent })
      shown = { at, markup }
      tick()
    } catch (error) {
      if (turn !== turns) return
      complain(error as Refused)
      if (at !== shown.at) main.replaceChildren()
      shown = { at, markup: '' }
    } finally {
      underWay--
      catchUp()
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
  /** Selects the only project, where the address names none. */
  const begin = async () => {
    if (!new URLSearchParams(location.search).has('project')) {
      await bar.refresh()
      const only = bar.onlyProject()
      if (only !== undefined) history.replaceState(null, '', `?project=${encodeURIComponent(only)}${location.hash}`)
    }
    await arrive('stay')
  }
  /** Follows the address to another project or view. */
  const arrive = async (how: 'arrive' | 'stay') => {
    if (followed !== projectOf()) {
      followed = projectOf()
      listen()
      void bar.refresh().catch(complain)
    }
    if (location.search + viewOf() === shown.at) return
    parts.markTab(viewOf().split('?', 1)[0]!)
    if (shown.at !== '') say('')
    await visit(how)
  }
  /** Whether the view must stay as it is: somebody types, has marked a text, is asked something, or waits for another view. */
  const isInUse = () =>
    main.querySelector('input:focus, select:focus, textarea:focus') !== null ||
    getSelection()?.isCollapsed === false ||
    document.querySelector('dialog[open]') !== null ||
    underWay > 0
  const refresh = () => {
    timer = undefined
    if (document.hidden || !isLive()) return
    void bar.refresh().catch(() => undefined)
    if (isInUse()) isLate = true
    else if (shown.markup === '' || main.querySelector('[data-live]') !== null) void visit('stay')
  }
  // However much happens, the page is made anew twice a second at most.
  const soon = () => {
    timer ??= setTimeout(refresh, 500)
  }
  /** Shows what happened while the view was in use, once it is not. */
  const catchUp = () => {
    if (!isLate || isInUse()) return
    isLate = false
    soon()
  }
  const follow = parts.createFollower(call, {
    onEvent: soon,
    onState: (connected) => {
      live.classList.toggle('off', !connected)
      live.textContent = connected ? 'Live' : 'Not connected'
    },
  })
  const send = async (form: HTMLFormElement, submitter: HTMLElement | null) => {
    const { next, done: said = '', confirm: question, typed } = form.dataset
    if (question !== undefined && !(await confirm(question, submitter!.firstChild!.textContent!, typed)))
      return catchUp()
    say('')
    mark(form, {})
    const { path, init } = requestOf(form, submitter)
    const response = await call(path, init)
    if (!response.ok) throw (await response.json()) as Refused
    if (next !== undefined) location.assign(next)
    else await visit('stay', form)
    await bar.refresh()
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
    else
      void send(form, event.submitter).catch((refusal: Refused) => {
        complain(refusal)
        mark(form, refusal)
      })
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
    // Empty: all were chosen, even where there is only one.
    history.pushState(null, '', `?project=${encodeURIComponent(value)}${section}`)
    void arrive('stay')
  })
  live.addEventListener('click', () => {
    live.setAttribute('aria-pressed', String(!isLive()))
    listen()
  })
  document.addEventListener('visibilitychange', listen)
  addEventListener('hashchange', () => void arrive('arrive'))
  addEventListener('popstate', () => void arrive('arrive'))
  document.addEventListener('focusout', () => setTimeout(catchUp))
  document.addEventListener('selectionchange', catchUp)
  void begin().catch(complain)
}
