// Extras of the documentation, whose pages work without them: the language of samples is remembered, a button copies
// code, and the search shows results while the reader types.

const key = 'payin-docs-language'

const remembered = () => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

const choose = (language) => {
  for (const input of document.querySelectorAll('.samples input')) {
    if (input.value === language) input.checked = true
  }
}

const language = remembered()
if (language) choose(language)

document.addEventListener('change', ({ target }) => {
  if (!target.closest('.samples')) return
  // All switches of the page change; what the reader looks at stays where it is.
  const before = target.getBoundingClientRect().top
  choose(target.value)
  window.scrollBy(0, target.getBoundingClientRect().top - before)
  try {
    localStorage.setItem(key, target.value)
  } catch {
    // Without storage, the reader chooses again on the next page.
  }
})

const copy = async (source, button) => {
  try {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
  } catch {
    // Browsers allow copying only on pages of https and of this machine.
    getSelection().selectAllChildren(source)
    button.textContent = 'Selected'
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000)
}

for (const code of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.className = 'copy'
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(code.querySelector('pre'), button))
  code.append(button)
}

const form = document.querySelector('header form')
const input = form.querySelector('input')
const hits = document.createElement('ul')
hits.className = 'hits'
hits.hidden = true
form.append(hits)

const show = (found) => {
  hits.replaceChildren(
    ...found.slice(0, 8).map(({ address, anchor, title, heading, excerpt }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = anchor ? `${address}#${anchor}` : address
      link.textContent = heading === title ? title : `${title}: ${heading}`
      const words = document.createElement('span')
      words.textContent = excerpt.join('')
      link.append(words)
      item.append(link)
      return item
    }),
  )
  hits.hidden = found.length === 0
}

let asked = 0
const search = async () => {
  const mine = ++asked
  if (input.value.trim().length < 2) return show([])
  const address = `${form.getAttribute('action')}?q=${encodeURIComponent(input.value)}`
  try {
    const answer = await fetch(address, { headers: { accept: 'application/json' } })
    if (answer.ok && mine === asked) show(await answer.json())
  } catch {
    // Enter still searches.
  }
}
input.addEventListener('input', () => void search())

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    input.focus()
  }
  if (event.key === 'Escape') show([])
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...hits.querySelectorAll('a')]
  if (hits.hidden || links.length === 0 || !form.contains(event.target)) return
  event.preventDefault()
  const next = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  ;(links[next] ?? input).focus()
})
document.addEventListener('click', ({ target }) => {
  if (!form.contains(target)) show([])
})
