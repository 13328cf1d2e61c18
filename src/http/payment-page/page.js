// The page works without this file. It adds copying, the countdown, the search of banks and the live status.
const pageMain = () => document.querySelector('main')
const say = (text) => (document.querySelector('#said').textContent = text)
// Parses only pages of our own origin: see connect-src of the content policy.
const policy = window.trustedTypes?.createPolicy('page', { createHTML: (text) => text })
const parse = (text) => new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'text/html')

document.documentElement.classList.add('js')

// Copying

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without a secure context only the old way works.
    const focused = document.activeElement
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'unseen'
    document.body.append(field)
    field.select()
    const copied = document.execCommand('copy')
    field.remove()
    focused.focus()
    if (!copied) throw new Error('not copied')
  }
}

const copyFrom = async (button) => {
  try {
    await copyText(button.dataset.copy)
  } catch {
    return getSelection().selectAllChildren(button.previousElementSibling)
  }
  const { copied } = pageMain().dataset
  const [icon, label] = [button.querySelector('path'), button.querySelector('span')]
  const [shape, word] = [icon.getAttribute('d'), label.textContent]
  const show = (isDone) => {
    label.textContent = isDone ? copied : word
    icon.setAttribute('d', isDone ? 'M5 12.5l4.5 4.5L19 7.5' : shape)
    button.classList.toggle('done', isDone)
    say(isDone ? copied : '')
  }
  show(true)
  setTimeout(show, 2000, false)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]')
  if (button && !button.classList.contains('done')) void copyFrom(button)
  if (event.target.closest('[data-print]')) print()
})

// Forms: a second press sends nothing; banks are found by name while the payer types

document.addEventListener('submit', (event) => {
  if (event.target.dataset.sent) event.preventDefault()
  event.target.dataset.sent = 'yes'
})

// The service searches: two hundred names would be half the page. The chosen bank stays in sight and chosen.
const findBanks = async (field) => {
  const wanted = field.value
  const answer = await fetch(`${field.dataset.find}?find=${encodeURIComponent(wanted)}`)
  const fresh = answer.ok && parse(await answer.text()).querySelector('.tiles')
  // Ignore the answer to a search that a later one has replaced.
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
document.addEventListener('input', ({ target }) => {
  if (!target.dataset.find) return
  clearTimeout(typing)
  // If this fails, the search is sent with the form.
  typing = setTimeout(() => findBanks(target).catch(() => undefined), 250)
})

// Enter in the search chooses the only bank found, and never sends the form.
const enterSearch = async (field) => {
  clearTimeout(typing)
  await findBanks(field)
  const found = field.closest('.banks').querySelectorAll('.tile [value]:not([value=""], :checked)')
  if (found.length === 1) found[0].click()
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !event.target.dataset.find) return
  event.preventDefault()
  void enterSearch(event.target)
})

// Phone: a Russian number is written in groups, and begins with +7 however it was typed; the code of a chosen country is there

const formatPhone = (field) => {
  // Only what is written at the end: the cursor stays where it is.
  if (!/^\+7[\d\s()+-]*$/.test(field.value) || field.selectionEnd < field.value.length) return
  const digits = field.value.replace(/\D/g, '').replace(/^7[78](?=\d{10})/, '7')
  const [, ...groups] = digits.match(/^7(\d{0,3})(\d{0,3})(\d{0,2})(\d*)/)
  field.value = ['+7', ...groups.filter(Boolean)].join(' ')
}

document.addEventListener('input', ({ target, inputType }) => {
  const phone = document.querySelector('#phone')
  if (target === phone && !inputType?.startsWith('delete')) formatPhone(phone)
  const [code] = (target.id === 'country' && target.selectedOptions[0].textContent.match(/\+\d+$/)) || []
  if (code && phone.value.length < 6) phone.value = `${code} `
})

// Countdown

const ends = new WeakMap()

const clockText = (ms) => {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] > 0 ? parts : parts.slice(1)
  return shown.map((part, index) => (index > 0 ? String(part).padStart(2, '0') : part)).join(':')
}

// The requisite is no longer valid, even without a connection: the message that replaces it came with the page.
const stopAsking = (clock) => {
  const over = document.querySelector('template')
  if (over) {
    over.closest('.card').replaceChildren(over.content.cloneNode(true))
    document.querySelector('h1').focus()
  } else clock.closest('details')?.remove()
  setTimeout(refresh, 1000)
}

const tick = () => {
  for (const clock of document.querySelectorAll('[data-left]')) {
    const known = ends.get(clock)
    const end = known?.end ?? Date.now() + Number(clock.dataset.left)
    const left = Math.max(0, end - Date.now())
    for (const [moment, words] of JSON.parse(clock.dataset.say)) {
      if (known && known.left > moment && left <= moment) say(words)
    }
    ends.set(clock, { end, left })
    clock.textContent = clockText(left)
    clock.classList.toggle('soon', left < 300_000)
    if (known?.left > 0 && left === 0) stopAsking(clock)
  }
}

// Live status: the stream reports that something has changed, then the page fetches itself and shows its new main part.
// Without a stream it polls, more slowly after failures, and never in step with other pages.

let source
let timer
let failures = 0
// Whether the next poll was planned while the stream was open.
let calm = false
let polling

const showTrouble = () => {
  const line = document.querySelector('.live')
  if (!line) return
  line.dataset.live ??= line.textContent
  const words = failures > 1 ? line.dataset.offline : line.dataset.live
  if (line.textContent === words) return
  line.textContent = words
  line.classList.toggle('offline', failures > 1)
  if (failures > 1) say(words)
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

const update = async () => {
  const main = pageMain()
  try {
    const headers = { 'if-none-match': main.dataset.tag }
    const answer = await fetch(main.dataset.page, { headers, cache: 'no-store' })
    failures = answer.status < 500 && answer.status !== 429 ? 0 : failures + 1
    if (!answer.ok) return
    const news = parse(await answer.text())
    const fresh = news.querySelector('main[data-tag]')
    if (!fresh || fresh.dataset.tag === main.dataset.tag) return
    const isSame = fresh.dataset.state === main.dataset.state
    const focused = isSame ? keepWritten(main, fresh) : fresh.querySelector('h1')
    main.replaceWith(fresh)
    document.title = news.title
    focused.focus({ preventScroll: isSame })
    tick()
    follow()
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
      follow()
    })
  }
  if (timer === undefined) calm = source?.readyState === 1
  plan(pace * (calm ? 15 : 1) * 2 ** Math.min(failures, 4) * (0.75 + Math.random() / 2))
}

// A phone closes connections while the bank's app is in front: when the page comes back, what it shows is old.
const comeBack = async () => {
  for (const form of document.forms) delete form.dataset.sent
  unfollow()
  if (document.hidden || !(pageMain().dataset.poll > 0)) return
  await refresh()
  follow()
}

document.addEventListener('visibilitychange', () => void comeBack())
addEventListener('pageshow', (event) => event.persisted && void comeBack())
addEventListener('online', () => void comeBack())
document.querySelector('[aria-invalid]')?.focus()
tick()
setInterval(tick, 1000)
follow()
