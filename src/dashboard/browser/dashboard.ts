// The script of the dashboard: the URL selects a project and a view, forms call the control API, and events refresh the view.
import { call, subscribe } from './api.ts'
import {
  type ApiError,
  clearInvalid,
  confirm,
  find,
  getSuccessText,
  markTab,
  openView,
  readCall,
  refreshBar,
  refreshContent,
  showDone,
  showError,
  showMissing,
  showProblems,
  advanceClockTimes,
} from './page.ts'

const mainElement = find('main')
const bar = find('#bar')
const liveButton = find('#live')

const getProject = () => new URLSearchParams(location.search).get('project') ?? ''
const getView = () => location.hash.slice(1) || (getProject() === '' ? 'projects' : 'payment-links')
const getPlace = () => location.search + getView()

let shownView = { at: '', markup: '' }
let subscribedProject: string | undefined
let visitCount = 0
let pendingViews = 0
let isStale = false
let isLive = true
let isConnected = false
let refreshTimer: ReturnType<typeof setTimeout> | undefined

const fetchView = async (view: string): Promise<string> => {
  const [name = '', query = ''] = view.split('?', 2)
  const parameters = new URLSearchParams(query)
  if (getProject() !== '') parameters.set('project', getProject())
  // The URL may come from someone else, so it must not reach any other path.
  return (await call(`dashboard/${encodeURIComponent(name.replaceAll('.', ''))}?${parameters}`)).text()
}

const loadBar = async (): Promise<void> => {
  const { search } = location
  const markup = await fetchView('bar')
  // Another project was selected in the meantime, which refreshes the bar too.
  if (search !== location.search) return
  refreshBar(bar, markup)
  advanceClockTimes()
}

/** Shows the view of the URL. If two visits overlap, the later one wins. A view that is no longer in the URL is not shown. */
const visitView = async (how: 'focus' | 'stay', sentForm?: HTMLFormElement) => {
  const visitNumber = ++visitCount
  const at = getPlace()
  const isOutdated = () => visitNumber !== visitCount || at !== getPlace()
  pendingViews++
  try {
    const markup = await fetchView(getView())
    if (isOutdated()) return
    // Removes the error of a failed load.
    if (shownView.markup === '') showDone('')
    if (at !== shownView.at) mainElement.innerHTML = markup
    else if (markup !== shownView.markup || sentForm !== undefined) refreshContent(mainElement, markup, sentForm)
    shownView = { at, markup }
    advanceClockTimes()
  } catch (error) {
    if (isOutdated()) return
    const apiError = error as ApiError
    const { code } = apiError
    if (code === 'routeNotFound') showMissing(mainElement, { message: `There is no view '${getView()}'.` })
    // The old content stays if the mock has stopped.
    else if (at !== shownView.at || code !== undefined) showMissing(mainElement, apiError)
    else showError(apiError)
    shownView = { at, markup: '' }
  } finally {
    pendingViews--
    catchUp()
  }
  const title = mainElement.querySelector('h1')
  document.title = `${title?.textContent ?? 'Dashboard'} - paylink-mock`
  if (how === 'focus') title?.focus({ preventScroll: true })
}

const showLive = () => {
  const liveState = !isLive ? 'off' : !isConnected ? 'not connected' : isInUse() ? 'paused' : 'on'
  if (liveButton.dataset.state === liveState) return
  liveButton.dataset.state = liveState
  liveButton.textContent = `Live: ${liveState}`
}

/** Subscribes to events. A hidden page does not, since browsers limit the connections to one server. */
const subscribeToEvents = () => {
  const path = getProject() === '' ? 'events' : `projects/${encodeURIComponent(getProject())}/events`
  void subscribe(document.hidden || !isLive ? undefined : path, refreshSoon, (state) => {
    isConnected = state
    showLive()
  })
}

/** Selects the only project if the URL has none. */
const startDashboard = async () => {
  if (!new URLSearchParams(location.search).has('project')) {
    await loadBar()
    const { only } = bar.querySelector<HTMLElement>('[data-only]')?.dataset ?? {}
    if (only !== undefined) history.replaceState(null, '', `?project=${encodeURIComponent(only)}${location.hash}`)
  }
  await navigate('stay')
}

const navigate = async (how: 'focus' | 'stay') => {
  if (subscribedProject !== getProject()) {
    subscribedProject = getProject()
    subscribeToEvents()
    void loadBar().catch(showError)
  }
  markTab(getView().replace(/\?.*/, ''))
  if (getPlace() === shownView.at) return
  showDone('')
  await visitView(how)
}

/** Whether the user types, selects text or has a dialog open. A refresh would interfere. */
const isInUse = () =>
  mainElement.querySelector('input:focus, select:focus, textarea:focus') !== null ||
  getSelection()?.isCollapsed === false ||
  document.querySelector('dialog[open]') !== null

const refresh = () => {
  refreshTimer = undefined
  if (document.hidden || !isLive) return
  void loadBar().catch(() => undefined)
  if (isInUse() || pendingViews > 0) isStale = true
  else if (shownView.markup === '' || mainElement.querySelector('[data-live]') !== null) void visitView('stay')
}

const refreshSoon = () => {
  refreshTimer ??= setTimeout(refresh, 500)
}

/** Refreshes a view that was in use when an event arrived. */
const catchUp = () => {
  showLive()
  if (!isStale) return
  isStale = false
  refreshSoon()
}

/** Closes the menu that contains the element, or all of them. The focus returns to its button. */
const closeMenus = (element: Element | null = document.activeElement) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (menu.contains(element)) find('summary', menu).focus({ preventScroll: true })
    menu.open = false
  }
}

const sendForm = async (form: HTMLFormElement, submitter: HTMLElement | null) => {
  const { next, confirm: question, doneLook } = form.dataset
  const doneText = getSuccessText(form)
  closeMenus()
  if (question !== undefined && !(await confirm(question, submitter?.firstChild?.textContent?.trim() ?? '')))
    return catchUp()
  showDone('')
  document.querySelectorAll('[aria-invalid]').forEach(clearInvalid)
  try {
    form.ariaBusy = 'true'
    const { path, init } = readCall(form, submitter)
    await call(path, init)
  } finally {
    form.ariaBusy = null
  }
  if (next !== undefined) location.assign(next)
  else await visitView('stay', form)
  await loadBar()
  showDone(doneText, doneLook)
}

const download = async (path: string, name: string): Promise<void> => {
  const text = JSON.stringify(await (await call(path)).json(), null, 2)
  const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href, download: name }).click()
  URL.revokeObjectURL(href)
  showDone('Seed downloaded.')
}

const copyCommand = async (button: HTMLElement): Promise<void> => {
  const commandElement = find('code', button.parentElement!)
  // An insecure origin has no clipboard, so the text is selected instead.
  const selectCommand = () => getSelection()?.selectAllChildren(commandElement)
  if (!('clipboard' in navigator)) return selectCommand()
  await navigator.clipboard.writeText(commandElement.textContent).then(() => showDone('Copied.'), selectCommand)
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method === 'dialog') return
  event.preventDefault()
  if (form.dataset.view !== undefined) openView(form)
  else if (form.ariaBusy === null)
    void sendForm(form, event.submitter).catch(async (error: ApiError) => {
      // The view may show a state that no longer allows the action.
      await visitView('stay')
      showProblems(form, error)
    })
})
document.addEventListener('click', (event) => {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  if (!target.closest('details.menu')) closeMenus(null)
  const { name = '', ...data } = target.dataset
  // The fragment of the URL is the view, so the skip link must not change it.
  if (target.matches('.skip')) {
    event.preventDefault()
    mainElement.focus()
  }
  if (target instanceof HTMLButtonElement && 'discard' in data) void visitView('stay', target.form ?? undefined)
  if (target.matches('#error button')) showDone('')
  if (data.copy !== undefined) void copyCommand(target)
  if (data.download !== undefined) void download(data.download, name).catch(showError)
})
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  closeMenus()
  const addForm = document.activeElement?.closest<HTMLDetailsElement>('details.add[open]')
  if (addForm) {
    find('summary', addForm).focus({ preventScroll: true })
    addForm.open = false
  }
  showDone('')
})
document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLElement && target.ariaInvalid !== null) clearInvalid(target)
})
document.addEventListener('change', (event) => {
  const { target } = event
  // An unlimited fault has no number of times.
  if (target instanceof HTMLInputElement && target.type === 'checkbox')
    for (const otherField of document.getElementsByName(target.name))
      if (otherField !== target) otherField.toggleAttribute('disabled', target.checked)
  if (!(target instanceof HTMLSelectElement)) return
  if ('chooser' in target.dataset)
    for (const group of target.form!.querySelectorAll<HTMLFieldSetElement>('[data-choice]'))
      group.hidden = group.disabled = group.dataset.choice !== target.value
  if (target.id === 'sandbox') location.assign(target.value)
  if (target.id !== 'project') return
  const section = document.querySelector('#sections [aria-current]')?.getAttribute('href') ?? ''
  // An empty project means all, even if there is only one.
  history.pushState(null, '', `?project=${encodeURIComponent(target.value)}${section}`)
  void navigate('stay')
})
liveButton.addEventListener('click', () => {
  isLive = !isLive
  isConnected = false
  showLive()
  subscribeToEvents()
})
document.addEventListener('visibilitychange', subscribeToEvents)
addEventListener('hashchange', () => void navigate('focus'))
addEventListener('popstate', () => void navigate('focus'))
document.addEventListener('focusin', showLive)
document.addEventListener('focusout', () => setTimeout(catchUp))
document.addEventListener('selectionchange', catchUp)
setInterval(advanceClockTimes, 1000)
// There are no events for changes of faults, clocks, behaviors and snapshots.
setInterval(() => isConnected && refreshSoon(), 2000)
void startDashboard().catch(showError)
