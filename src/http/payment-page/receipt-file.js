// Loaded for the first file that a payer chooses.
// Photos are larger than anybody needs to read a receipt. What the browser cannot decode stays as it is.
const shrink = async (file) => {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, 2000 / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = picture.width * scale
  canvas.height = picture.height * scale
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
  const smaller = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.85))
  return smaller?.size < file.size ? new File([smaller], 'receipt.jpg', { type: smaller.type }) : file
}

// Returns whether the file may be sent; if not, shows why.
export const checkFile = async (field, complain) => {
  let [file] = field.files
  if (file?.size > 1e6 && file.type.startsWith('image/')) {
    file = await shrink(file).catch(() => file)
    const list = new DataTransfer()
    list.items.add(file)
    field.files = list.files
  }
  const { max, large, type } = field.dataset
  const known = field.accept.split(',').some((each) => each === file?.type || file?.name.toLowerCase().endsWith(each))
  const wrong = !file ? '' : !known ? type : file.size > max ? large : ''
  field.toggleAttribute('aria-invalid', wrong !== '')
  document.getElementById('receipt-wrong')?.remove()
  if (wrong) complain(field, 'receipt-wrong', wrong)
  return wrong === ''
}
