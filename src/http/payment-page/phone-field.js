// Loaded on pages that ask for a phone. Writes a Russian number in groups, beginning with +7 however it was typed, and
// fills in the code of a chosen country.

const formatPhone = (field) => {
  // Only while the payer types at the end: elsewhere the cursor would move.
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
