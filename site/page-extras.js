// Extras of the documentation, whose pages work without them: the language of samples is remembered, and a button copies
// code.

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

// The key `/` leads to the search.
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea') || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  document.querySelector('header input').focus()
})
