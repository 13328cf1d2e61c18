// Words that name the statement's own account, and those that may stand next to them in a title.
const account = /^(?:сч[её]т[ау]?|р\/сч?|iban|accounts?|konto(?:nummer|nr)?|rekening(?:nummer)?)$/u
const besides =
  /^(?:выписка|сведения|справка|работе|отч[её]т|операци[ияй]|движени[еяю]|движении|денежных|средств|по|о|номер|(?:лицев|расч[её]тн|текущ|карточн|банковск|рублев|валютн)\p{L}+|statement|history|transactions|of|for|bank|current|number|no|nr|id|your|rub|rur|usd|eur|kzt|uzs)$/u

// Whole numbers only: of a masked one the digits that are left fit many accounts. Eight digits may be a date.
const number =
  /(?<![\p{L}\d*•.-])(?:[A-Z]{2}\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?|\d{5}[ .]\d{3}[ .]\d[ .]\d{4}[ .]\d{7}|(?!(?:19|20)\d{6}(?!\d))\d{8,34})(?![\p{L}\d*•-])/u

/** Most characters before the number of an account. */
const maxLabel = 100

const isLabel = (text: string): boolean => {
  const words = text.toLowerCase().match(/р\/сч?|[\p{L}\d]+/gu) ?? []
  return words.some((word) => account.test(word)) && words.every((word) => account.test(word) || besides.test(word))
}

/**
 * The account of the statement, where a line above its table says it: `Выписка по счёту № 4070…`, or `Account:` with the
 * number in the next cell. `undefined` for any other line.
 */
export const findAccount = (cells: readonly string[]): string | undefined => {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  for (const [index, cell] of filled.entries()) {
    const text = `${cell} ${filled[index + 1] ?? ''}`.slice(0, 2 * maxLabel)
    const found = number.exec(text)
    if (found && found.index <= maxLabel && isLabel(text.slice(0, found.index))) return found[0]
  }
  return undefined
}
