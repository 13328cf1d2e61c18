// The page works without this file. It adds copying, the countdown and the live status.
const pageMain = () => document.querySelector('main')
const say = (text) => (document.querySelector('#said').textContent = text)

document.documentElement.classList.add('js')

// Copying

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without a secure context there is only the old way.
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
  const label = button.querySelector('span')
  const word = label.textContent
  label.textContent = button.dataset.done
  button.classList.add('done')
  say(button.dataset.done)
  setTimeout(() => {
    label.textContent = word
    button.classList.remove('done')
    say('')
  }, 2000)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]')
  if (button && !button.classList.contains('done')) void copyFrom(button)
})

// Countdown

const ends = new WeakMap()

const clockText = (ms) => {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] > 0 ? parts : parts.slice(1)
  return shown.map((part, index) => (index > 0 ? String(part).padStart(2, '0') : part)).join(':')
}

const tick = () => {
  for (const clock of document.querySelectorAll('[data-left]')) {
    const end = ends.get(clock) ?? Date.now() + Number(clock.dataset.left)
    ends.set(clock, end)
    const left = Math.max(0, end - Date.now())
    clock.textContent = clockText(left)
    clock.classList.toggle('soon', left < 300_000)
    if (left === 0) wake(1000)
  }
}

// Live status: asks again after a while and, when there is news, shows the new main part

let timer
let failures = 0

const look = async () => {
  const main = pageMain()
  try {
    const headers = { 'if-none-match': main.dataset.tag }
    const answer = await fetch(main.dataset.page, { headers, cache: 'no-store' })
    failures = answer.status < 500 ? 0 : failures + 1
    if (!answer.ok) return
    const news = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = news.querySelector('main[data-tag]')
    if (!fresh || fresh.dataset.tag === main.dataset.tag) return
    main.replaceWith(fresh)
    document.title = news.title
    fresh.querySelector('h1').focus()
    tick()
  } catch {
    failures++
  }
}

const wake = (ms) => {
  if (timer !== undefined || document.hidden) return
  timer = setTimeout(async () => {
    await look()
    timer = undefined
    rest()
  }, ms)
}

/** Waits until the next look: the page's own pace, longer after failures, never in step with other pages. */
const rest = () => {
  const pace = Number(pageMain().dataset.poll ?? 0)
  if (pace > 0) wake(pace * 2 ** Math.min(failures, 4) * (0.75 + Math.random() / 2))
}

// A phone may have slept in between: what it shows is old.
const comeBack = () => {
  clearTimeout(timer)
  timer = undefined
  if (pageMain().dataset.poll > 0) wake(0)
}

document.addEventListener('visibilitychange', comeBack)
addEventListener('pageshow', (event) => event.persisted && comeBack())
tick()
setInterval(tick, 1000)
rest()
