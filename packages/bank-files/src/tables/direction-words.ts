import type { StatementRow } from '../statement.ts'
import { tidyText } from '../texts.ts'

type Direction = StatementRow['direction']

/** A bank's own words for the direction of money. */
export type DirectionWords = { readonly credit: readonly string[]; readonly debit: readonly string[] }

/** A word normalised for comparisons: lower case, without a full stop at its end. */
const plainWord = (word: string): string =>
  (tidyText(word) ?? '')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/(?<![.:])[.:]+$/, '')

// Bookkeeping words, which mean the same everywhere.
const sure: Readonly<Record<Direction, RegExp>> = {
  credit:
    /^(?:\+|c|с|cr|crdt|cred|credit|in|incoming|bij|haben|h|k|кт|к|кр|кред|кредит(?:овая|овый|овое)?|приход(?:ная|ный)?|входящ\p{L}*(?: (?:перевод|плат[её]ж|операция))?|зачислени[ея](?: .*)?|поступлени[ея](?: .*)?)$/u,
  debit:
    /^(?:-|–|—|−|d|dr|dbit|deb|debit|out|outgoing|af|soll|s|дт|д|дб|деб|дебет(?:овая|овый|овое)?|расход(?:ная|ный)?|исходящ\p{L}*(?: (?:перевод|плат[её]ж|операция))?|списани[ея](?: .*)?)$/u,
}

// Kinds of operations, which have a direction only if the amounts have no sign: a purchase may be given back. Money is
// also paid in to phones, cards and loans, and taken out of deposits: the word for paying in or taking out counts, and
// no other word may follow.
const usual: Readonly<Record<Direction, RegExp>> = {
  credit:
    /^(?:(?:пополнени[ея]|внесени[ея]|взнос)(?: (?:сч[её]та|на сч[её]т|баланса|(?:денежных )?средств|наличн\p{L}*|банкомат|(?:через|в) (?:банкомат|терминал|касс|офис)\p{L}*|(?:через |по )?сбп|из другого банка))*|deposits?(?: (?:of )?(?:cash|checks?|cheques?|transfer|at (?:an )?atm|atm))*|top[- ]?up(?: (?:by|via|from) (?:card|bank|cash|transfer|\*?\d{4}))?|received(?: from .*)?|cash[- ]in)$/u,
  debit:
    /^(?:(?:сняти[ея]|выдача)(?: (?:(?:денежных )?средств|денег|наличн\p{L}*|банкомат|atm|с карты|со сч[её]та|(?:через|в) (?:банкомат|касс|офис)\p{L}*))*|покупк[аи](?: .*)?|(?:комисси[яи]|удержани[ея]|оплата (?:товаров|услуг|покупки)|fees?|card[ _]payment)(?: .*)?|withdraw(?:als?)?(?: (?:of )?(?:cash|at (?:an )?atm|atm))*|purchases?(?: .*)?|cash[- ]out)$/u,
}

// An exchange comes in on one account and leaves another one.
const exchanged = /валют|обмен|конверс|долл|евро|юан|currenc|exchange|(?<![a-z])(?:usd|eur|cny|usdt|fx)(?![a-z])/

// The operation was then taken back.
const takenBack = /отмен|возврат|сторно|отказ|revers|cancel|refund|chargeback/

/** The known direction of a word; `undefined` for any other word, and it is never guessed. */
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

/** Whether a word means its direction everywhere, even next to amounts with signs. */
export const isSure = (word: string, own?: DirectionWords): boolean => {
  const plain = plainWord(word)
  if (own && [...own.credit, ...own.debit].some((each) => plainWord(each) === plain)) return true
  return !takenBack.test(plain) && (sure.credit.test(plain) || sure.debit.test(plain))
}

/** Names of columns that contain only directions. */
const directionNames =
  /^(?:д\/к|к\/д|дт\/кт|кт\/дт|дб\/кр|дебет\s*\/\s*кредит|кредит\s*\/\s*дебет|приход\s*\/\s*расход|расход\s*\/\s*приход|признак(?: .*)?|направление(?: .*)?|знак|direction|sign|[dc]\/[dc]|dc|cd|dr\/cr|cr\/dr|debit\s*\/\s*credit|credit\s*\/\s*debit|(?:debit|credit|dc|d\/c|cr\/dr)[ _/-](?:debit |credit )?(?:indicator|mark|flag|code|type)|cdtdbtind|credit ?debet|af bij|in\/out|[dk]\/[dk]|(?:soll\s*[/-]\s*haben|s\/h)(?:[ -]?kennz.*)?|\+\/-)$/
/** Names of columns that may contain directions or kinds of operations. */
const operationNames =
  /^(?:(?:тип|вид|категория) (?:операции|транзакции|движения|перевода|проводки|платежа)|операция|тип|вид|type|(?:transaction|operation|entry)[ _]?(?:type|kind)?|kind)$/

/** Whether a column with this normalised name may contain the kind of operation of a row. */
export const isOperationName = (name: string): boolean => operationNames.test(name)

/** A column of a table: its normalised name, and its non-empty texts. */
type Column = { readonly name: string; readonly words: readonly string[] }

/**
 * In a table with one amount column, the column that gives the direction; `undefined` if no column does. It may contain
 * unknown words: rows with such a word are then refused.
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
  // A file with only credits has one word; a letter `K` on its own may be a code of anything.
  const kinds = (test: (column: Column) => boolean): number =>
    named(operationNames, (column) => test(column) && column.words.some((word) => !/^k$/i.test(word)))
  const tries = hasSigns
    ? [
        named(directionNames, isAllSure),
        kinds(isAllSure),
        // The sign of one amount says nothing about amounts without a sign: the words do.
        named(directionNames, ({ words }) => words.some(isKnown)),
      ]
    : [
        named(directionNames, isAllKnown),
        kinds(isAllKnown),
        named(directionNames, ({ words }) => words.length > 0),
        // Dashes fill empty cells, and single letters may be codes of anything.
        columns.findIndex((column) => isAllKnown(column) && column.words.every((word) => /\p{L}{2}/u.test(word))),
        kinds(({ words }) => words.some(isKnown)),
      ]
  return tries.find((at) => at >= 0)
}
