// The page works without this file. It adds copying, forms in place, the countdown, the search of banks and the live status.
const find = (selector) => document.querySelector(selector)
const pageMain = () => find('main')
const say = (text) => (find('#said').textContent = text)
// Parses only pages of our own origin: see connect-src of the content policy.
const policy = window.trustedTypes?.createPolicy('page', { createHTML: (text) => text })
const parse = (text) => new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'text/html')

document.documentElement.classList.add('js')

// Copying

const copyFrom = async (button) => {
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
  } catch {
    // Without a secure context, or in a frame without permission: the older way. The value stays selected, to be copied
    // by hand.
    getSelection().selectAllChildren(button.previousElementSibling)
    const write = (event) => {
      event.preventDefault()
      event.clipboardData.setData('text/plain', button.dataset.copy)
    }
    addEventListener('copy', write, { once: true })
    if (!document.execCommand('copy')) return
  }
  const { copied } = pageMain().dataset
  const label = button.querySelector('span')
  const word = label.textContent
  const show = (isDone) => {
    label.textContent = isDone ? copied : word
    button.classList.toggle('done', isDone)
    say(isDone ? copied : '')
  }
  show(true)
  setTimeout(show, 2000, false)
}

addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]')
  if (button && !button.classList.contains('done')) void copyFrom(button)
  if (button || event.target.closest('a[data-first], .first a')) leadOn(true)
  if (event.target.closest('[data-print]')) print()
})
addEventListener('copy', () => leadOn(true))

// Forms are sent in place: what was written stays whatever happens, and a second press sends nothing

const words = find('#said').dataset

const complain = (field, id, text) => {
  const line = document.getElementById(id) ?? document.createElement('p')
  Object.assign(line, { id, className: 'wrong', textContent: text })
  if (!line.isConnected) field.before(line)
  say(text)
  showTrouble()
}

// The script that only files need is loaded with the first one.
const checkFile = async (field) => (await import('./receipt-file.js')).checkFile(field, complain)

const post = (form, data, progress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.timeout = data.get('receipt')?.size ? 120_000 : 20_000
    request.upload.addEventListener('progress', ({ loaded, total }) => (progress.value = loaded / total))
    request.addEventListener('load', () => resolve(request))
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, reject)
    request.send(form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data))
  })

const showAnswer = (form, button, { status, responseText }) => {
  const news = parse(responseText)
  const fresh = news.querySelector('main')
  if (status !== 200 && !fresh.querySelector('.wrong')) {
    return complain(button, 'unsent', fresh.querySelector('p').textContent)
  }
  const [chosen, other] = [form.querySelector('[type="file"]'), fresh.querySelector('[type="file"]')]
  if (chosen?.files.length && other && !other.matches('[aria-invalid]')) other.replaceWith(chosen)
  const { page } = fresh.dataset
  // Before the swap, because the addresses in the page are relative to it.
  if (page && page !== location.pathname) history.replaceState(null, '', page)
  say('')
  swap(news, fresh.querySelector('[aria-invalid]') ?? fresh.querySelector('h1'))
}

const submit = async (form, button) => {
  if (form.dataset.sent) return
  form.dataset.sent = 'yes'
  const file = form.querySelector('[type="file"]')
  const label = button.innerHTML
  const progress = document.createElement('progress')
  try {
    if (file && !(await checkFile(file))) {
      file.focus()
      return
    }
    const data = new FormData(form)
    if (button.name) data.set(button.name, button.value)
    const paidAt = data.get('paidAt')
    if (paidAt) data.set('zone', -new Date(paidAt).getTimezoneOffset())
    button.setAttribute('aria-busy', 'true')
    button.textContent = words.busy
    if (file?.files.length) button.before(progress)
    say(words.busy)
    const answer = await post(form, data, progress)
    document.getElementById('unsent')?.remove()
    showAnswer(form, button, answer)
  } catch {
    form.classList.toggle('waits', !navigator.onLine)
    complain(button, 'unsent', navigator.onLine ? words.failed : words.offline)
  } finally {
    progress.remove()
    delete form.dataset.sent
    button.removeAttribute('aria-busy')
    if (button.textContent === words.busy) button.replaceChildren(...parse(label).body.childNodes)
  }
}

addEventListener('submit', (event) => {
  // Not by the property `method`, which is a field if the form has one of that name.
  if (event.target.getAttribute('method') !== 'post') return
  event.preventDefault()
  void submit(event.target, event.submitter ?? event.target.querySelector('button:not([type])'))
})

addEventListener('change', ({ target }) => target.type === 'file' && void checkFile(target))

// What only some pages need: the payer says when it paid by its own clock, and a phone is written in groups.
const completeForms = () => {
  for (const label of document.querySelectorAll('[data-local]')) {
    label.textContent = label.dataset.local
    label.control.value ||= new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }
  if (find('#phone')) void import('./phone-field.js')
}

// The service searches: two hundred names would be half the page. The chosen bank stays in sight and chosen.
const findBanks = async (field) => {
  const wanted = field.value
  const answer = await fetch(`${field.dataset.find}?find=${encodeURIComponent(wanted)}`)
  const fresh = answer.ok && parse(await answer.text()).querySelector('.tiles')
  // Ignore the response to a search that a later one has replaced.
  if (!fresh || field.value !== wanted) return
  const shown = field.closest('.banks').querySelector('.tiles')
  const chosen = shown.querySelector(':checked')
  const same = chosen && [...fresh.querySelectorAll('[type="radio"]')].find(({ value }) => value === chosen.value)
  if (same) same.checked = true
  else if (chosen) fresh.prepend(chosen.parentElement)
  shown.replaceWith(fresh)
  say([...fresh.querySelectorAll('.tile, .hint, a')].map((each) => each.textContent).join(', '))
}

let typing
addEventListener('input', ({ target }) => {
  if (!target.dataset.find) return
  clearTimeout(typing)
  // If this fails, the search is sent with the form.
  typing = setTimeout(() => findBanks(target).catch(() => undefined), 250)
})

// Enter in the search chooses the only bank found, and never sends the form.
const enterSearch = async (field) => {
  clearTimeout(typing)
  await findBanks(field).catch(() => undefined)
  const found = field.closest('.banks').querySelectorAll('.tile [value]:not([value=""], :checked)')
  if (found.length === 1) found[0].click()
}

addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !event.target.dataset.find) return
  event.preventDefault()
  void enterSearch(event.target)
})

// Countdown

const ends = new WeakMap()

const clockText = (ms) => {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] > 0 ? parts : parts.slice(1)
  return shown.map((part, index) => (index > 0 ? String(part).padStart(2, '0') : part)).join(':')
}

// The time of the service decides. Only without a connection the page itself stops asking for money; the message that
// replaces the requisite came with the page.
const stopAsking = async (clock) => {
  await Promise.race([refresh(), new Promise((done) => setTimeout(done, 3000))])
  if (!clock.isConnected) return
  const over = find('template')
  if (performance.now() - heardAt < 5000) setTimeout(stopAsking, 1000, clock)
  else if (over) {
    over.closest('.card').replaceChildren(over.content.cloneNode(true))
    find('h1').focus()
  } else clock.closest('details')?.remove()
}

// Counts from when the page came: the device's clock may be wrong, or be set meanwhile.
const tick = () => {
  const now = performance.now()
  for (const clock of document.querySelectorAll('[data-left]')) {
    const known = ends.get(clock)
    const end = known?.end ?? now + Number(clock.dataset.left)
    const left = Math.max(0, end - now)
    for (const [moment, text] of JSON.parse(clock.dataset.say)) {
      if (known && known.left > moment && left <= moment) say(text)
    }
    ends.set(clock, { end, left })
    clock.textContent = clockText(left)
    clock.classList.toggle('soon', left < 300_000)
    if (known?.left > 0 && left === 0) void stopAsking(clock)
  }
}

// Live status: the stream reports that something has changed, then the page fetches itself and shows its new main part.
// Without a stream it polls, more slowly after failures, and never in step with other pages.

let source
let timer
let failures = 0
// When the service last answered.
let heardAt = 0
// Whether the next poll was planned while the stream was open.
let calm = false
let polling

const showTrouble = () => {
  const line = find('.live')
  if (!line) return
  const isOff = failures > 1
  line.dataset.live ??= line.textContent
  const text = isOff ? words.offline : line.dataset.live
  // A form that waits says so itself.
  line.hidden = text === '' || (isOff && find('.waits') !== null)
  if (line.textContent === text) return
  line.textContent = text
  line.classList.toggle('offline', isOff)
  if (isOff) say(text)
}

// An update in the same state discards nothing that the payer has opened or filled in. Returns what had the focus.
const keepWritten = (main, fresh) => {
  const reached = 'a, button, summary, input, select'
  const focused = document.activeElement
  const position = [...main.querySelectorAll(reached)].indexOf(focused)
  for (const { textContent } of main.querySelectorAll('[open] > summary')) {
    const same = [...fresh.querySelectorAll('summary')].find((each) => each.textContent === textContent)
    if (same) same.parentElement.open = true
  }
  // The form element moves: a chosen file cannot be copied into another. Forms with buttons only come from the new page.
  for (const form of main.querySelectorAll('[method="post"]:has(input)')) {
    fresh.querySelector(`[action="${form.getAttribute('action')}"]:has(input)`)?.replaceWith(form)
  }
  if (position < 0 || fresh.contains(focused)) return focused
  const same = fresh.querySelectorAll(reached)[position]
  return same?.textContent === focused.textContent ? same : fresh.querySelector('h1')
}

const swap = (news, focused, preventScroll = false) => {
  pageMain().replaceWith(news.querySelector('main'))
  document.title = news.title
  focused.focus({ preventScroll })
  tick()
  completeForms()
  leadOn()
  showTrouble()
  follow()
}

const update = async () => {
  const main = pageMain()
  try {
    const headers = { 'if-none-match': main.dataset.tag }
    const answer = await fetch(main.dataset.page, { headers, cache: 'no-store' })
    heardAt = performance.now()
    failures = answer.status < 500 && answer.status !== 429 ? 0 : failures + 1
    if (!answer.ok) return
    const news = parse(await answer.text())
    const fresh = news.querySelector('main[data-tag]')
    // The response to a form may have replaced the page meanwhile, or a form is being sent.
    if (!fresh || fresh.dataset.tag === main.dataset.tag || main !== pageMain()) return
    if (main.querySelector('form[data-sent]')) return
    const isSame = fresh.dataset.state === main.dataset.state
    swap(news, isSame ? keepWritten(main, fresh) : fresh.querySelector('h1'), isSame)
  } catch {
    failures++
  } finally {
    showTrouble()
  }
}

/** Fetches the page now, and again if a change comes meanwhile. */
const refresh = async () => {
  const isBusy = polling !== undefined
  polling = isBusy ? 'again' : 'now'
  while (!isBusy && polling) {
    polling = 'now'
    await update()
    if (polling === 'now') polling = undefined
  }
}

const plan = (ms) => {
  if (timer !== undefined || document.hidden) return
  const own = setTimeout(async () => {
    await refresh()
    // Another plan may have replaced this one meanwhile.
    if (timer !== own) return
    timer = undefined
    follow()
  }, ms)
  timer = own
}

const unfollow = () => {
  clearTimeout(timer)
  timer = undefined
  source?.close()
  source = undefined
}

const follow = () => {
  const { page, poll } = pageMain().dataset
  const pace = Number(poll ?? 0)
  if (pace === 0 || document.hidden) return unfollow()
  if (!source && failures === 0 && window.EventSource) {
    const opened = new EventSource(`${page}/events`)
    source = opened
    opened.addEventListener('message', ({ data }) => {
      if (data !== pageMain().dataset.tag) void refresh()
    })
    opened.addEventListener('error', () => {
      // The browser has given up: polling goes on, and opens a stream again once a poll has succeeded.
      if (opened.readyState === 2 && source === opened) source = undefined
      if (!calm) return
      clearTimeout(timer)
      timer = undefined
      calm = false
      plan(300 + Math.random() * 900)
    })
  }
  if (timer === undefined) calm = source?.readyState === 1
  // Try again soon after the first failure: only a second one shows that there is no connection.
  if (failures === 1) return plan(1000)
  plan(pace * (calm ? 15 : 1) * 2 ** Math.min(failures, 4) * (0.75 + Math.random() / 2))
}

// Once something was copied or a bank was opened, the next step is to say that the transfer has been sent: where there is
// a bank to open, when the payer comes back.
const leadOn = (isReady) => {
  const [first, then, number] = [find('[data-first]'), find('[data-then]'), find('.number data')?.value]
  if (isReady) history.replaceState(number, '')
  if (!then || history.state !== number || (isReady && first)) return
  if (first) first.className = first.href ? 'quiet' : ''
  then.className = 'main'
}

// A phone closes connections while the bank's app is in front: when the page comes back, what it shows is old.
const comeBack = async () => {
  unfollow()
  if (document.hidden) return
  leadOn()
  for (const form of document.querySelectorAll('form.waits')) {
    form.classList.remove('waits')
    form.requestSubmit()
  }
  if (!(pageMain().dataset.poll > 0)) return
  await refresh()
  follow()
}

document.addEventListener('visibilitychange', () => void comeBack())
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  for (const form of document.forms) delete form.dataset.sent
  void comeBack()
})
addEventListener('online', () => void comeBack())
addEventListener('offline', () => {
  failures = Math.max(failures, 2)
  showTrouble()
})
find('[aria-invalid]')?.focus()
completeForms()
leadOn()
tick()
setInterval(tick, 1000)
follow()
