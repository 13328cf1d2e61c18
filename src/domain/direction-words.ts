import { type StatementRow, tidyText } from './statement.ts'

type Direction = StatementRow['direction']

/** Words of a bank's own that say which way money went. */
export type DirectionWords = { readonly credit: readonly string[]; readonly debit: readonly string[] }

/** A word as it is compared: small letters, without a full stop at its end. */
const plainWord = (word: string): string =>
  (tidyText(word) ?? '')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/(?<![.:])[.:]+$/, '')

// Words of bookkeeping, which mean the same wherever they are.
const sure: Readonly<Record<Direction, RegExp>> = {
  credit:
    /^(?:\+|c|с|cr|crdt|cred|credit|in|incoming|bij|haben|h|k|кт|к|кр|кред|кредит(?:овая|овый|овое)?|приход(?:ная|ный)?|входящ\p{L}*(?: (?:перевод|плат[её]ж|операция))?|зачислени[ея](?: .*)?|поступлени[ея](?: .*)?)$/u,
  debit:
    /^(?:-|–|—|−|d|dr|dbit|deb|debit|out|outgoing|af|soll|s|дт|д|дб|деб|дебет(?:овая|овый|овое)?|расход(?:ная|ный)?|исходящ\p{L}*(?: (?:перевод|плат[её]ж|операция))?|списани[ея](?: .*)?)$/u,
}

// Kinds of operations, which have a direction only where the amounts have no sign: a purchase may be given back. Money is
// also paid in to phones, cards and loans, and taken out of deposits: what is paid in or taken out counts, and no other
// word may follow.
const usual: Readonly<Record<Direction, RegExp>> = {
  credit:
    /^(?:(?:пополнени[ея]|внесени[ея]|взнос)(?: (?:сч[её]та|на сч[её]т|баланса|(?:денежных )?средств|наличн\p{L}*|банкомат|(?:через|в) (?:банкомат|терминал|касс|офис)\p{L}*|(?:через |по )?сбп|из другого банка))*|deposits?(?: (?:of )?(?:cash|checks?|cheques?|transfer|at (?:an )?atm|atm))*|top[- ]?up(?: (?:by|via|from) (?:card|bank|cash|transfer|\*?\d{4}))?|received(?: from .*)?|cash[- ]in)$/u,
  debit:
    /^(?:(?:сняти[ея]|выдача)(?: (?:(?:денежных )?средств|денег|наличн\p{L}*|банкомат|atm|с карты|со сч[её]та|(?:через|в) (?:банкомат|касс|офис)\p{L}*))*|покупк[аи](?: .*)?|(?:комисси[яи]|удержани[ея]|оплата (?:товаров|услуг|покупки)|fees?|card[ _]payment)(?: .*)?|withdraw(?:als?)?(?: (?:of )?(?:cash|at (?:an )?atm|atm))*|purchases?(?: .*)?|cash[- ]out)$/u,
}

// What is bought in exchange comes in on one account and leaves another one.
const exchanged = /валют|обмен|конверс|долл|евро|юан|currenc|exchange|(?<![a-z])(?:usd|eur|cny|usdt|fx)(?![a-z])/

// Whatever was begun was then taken back.
const takenBack = /отмен|возврат|сторно|отказ|revers|cancel|refund|chargeback/

/** The direction that a word is known to have; `undefined` for any other word, and none is ever guessed. */
export const directionOf = (word: string, own?: DirectionWords): Direction | undefined => {
  const plain = plainWord(word)
  if (plain === '') return undefined
  for (const direction of ['credit', 'debit'] as const)
    if (own?.[direction].some((each) => plainWord(each) === plain)) return direction
  if (takenBack.test(plain)) return undefined
  for (const direction of ['credit', 'debit'] as const) if (sure[direction].test(plain)) return direction
  if (exchanged.test(plain)) return undefined
  for (const direction of ['credit', 'debit'] as const) if (usual[direction].test(plain)) return direction
  return undefined
}

/** Whether a word means its direction wherever it is, also next to amounts with signs. */
export const isSure = (word: string, own?: DirectionWords): boolean => {
  const plain = plainWord(word)
  if (own && [...own.credit, ...own.debit].some((each) => plainWord(each) === plain)) return true
  return !takenBack.test(plain) && (sure.credit.test(plain) || sure.debit.test(plain))
}

/** Names of columns that hold nothing but directions. */
const directionNames =
  /^(?:д\/к|к\/д|дт\/кт|кт\/дт|дб\/кр|дебет\s*\/\s*кредит|кредит\s*\/\s*дебет|приход\s*\/\s*расход|расход\s*\/\s*приход|признак(?: .*)?|направление(?: .*)?|знак|direction|sign|[dc]\/[dc]|dc|cd|dr\/cr|cr\/dr|debit\s*\/\s*credit|credit\s*\/\s*debit|(?:debit|credit|dc|d\/c|cr\/dr)[ _/-](?:debit |credit )?(?:indicator|mark|flag|code|type)|cdtdbtind|credit ?debet|af bij|in\/out|[dk]\/[dk]|(?:soll\s*[/-]\s*haben|s\/h)(?:[ -]?kennz.*)?|\+\/-)$/
/** Names of columns that may hold directions, or what kind an operation is. */
const operationNames =
  /^(?:(?:тип|вид|категория) (?:операции|транзакции|движения|перевода|проводки|платежа)|операция|тип|вид|type|(?:transaction|operation|entry)[ _]?(?:type|kind)?|kind)$/

/** Whether a column with this name, as it is compared, may say what kind of operation a row is. */
export const isOperationName = (name: string): boolean => operationNames.test(name)

/** A column of a table: its name as it is compared, and the texts in it that are not empty. */
type Column = { readonly name: string; readonly words: readonly string[] }

/**
 * The column that says which way money went, of a table with one column of amounts; `undefined` where no column does. One
 * with unknown words may be the answer: the row with such a word is then refused.
 */
export const findDirectionColumn = (
  columns: readonly Column[],
  hasSigns: boolean,
  own?: DirectionWords,
): number | undefined => {
  const isKnown = (word: string): boolean => directionOf(word, own) !== undefined
  const isAllSure = ({ words }: Column): boolean => words.length > 0 && words.every((word) => isSure(word, own))
  const isAllKnown = ({ words }: Column): boolean => words.length > 0 && words.every(isKnown)
  const named = (pattern: RegExp, test: (column: Column) => boolean): number =>
    columns.findIndex((column) => pattern.test(column.name) && test(column))
  // A file of credits alone has one word; a letter `K` alone may be a code of anything.
  const kinds = (test: (column: Column) => boolean): number =>
    named(operationNames, (column) => test(column) && column.words.some((word) => !/^k$/i.test(word)))
  const tries = hasSigns
    ? [
        named(directionNames, isAllSure),
        kinds(isAllSure),
        // A sign next to one amount says nothing of the amounts without a sign: the words do.
        named(directionNames, ({ words }) => words.some(isKnown)),
      ]
    : [
        named(directionNames, isAllKnown),
        kinds(isAllKnown),
        named(directionNames, ({ words }) => words.length > 0),
        // Dashes fill empty cells, and single letters are codes of anything.
        columns.findIndex((column) => isAllKnown(column) && column.words.every((word) => /\p{L}{2}/u.test(word))),
        kinds(({ words }) => words.some(isKnown)),
      ]
  return tries.find((at) => at >= 0)
}
