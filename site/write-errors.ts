import { type ErrorCode, errorCodes, fieldCodes } from '../src/rules/error-codes.ts'
import type { MerchantApi } from './openapi-document.ts'
import { codesEverywhere } from './write-reference.ts'

const again = ({ retry }: ErrorCode): string => {
  if (retry === 'at once') return 'Yes: nothing was changed, or it can safely be repeated.'
  return retry === 'after Retry-After'
    ? 'Yes, after the seconds in `Retry-After`.'
    : 'No, not until something has changed.'
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const describe = (code: string, own: ErrorCode, operations: readonly string[]): string =>
  [
    `### ${code}`,
    `**${own.status} · ${own.title}**`,
    ...(own.when === undefined ? [] : [sentence(own.when)]),
    [
      `- What to do: ${own.remedy}`,
      `- Send it again? ${again(own)}`,
      ...(operations.length === 0 ? [] : [`- Where: ${operations.join(', ')}`]),
    ].join('\n'),
  ].join('\n\n')

/** The codes that a single wrong field may have. */
export const writeFieldCodes = (): string =>
  `${fieldCodes.map((code) => `\`${code}\``).join(', ')}, or a code of this page, such as \`amount_precision\``

/** Every code that a merchant may get, those of every operation last. */
export const writeErrors = (api: MerchantApi): string => {
  const everywhere = codesEverywhere(api)
  const named = Map.groupBy(
    api.operations.flatMap(({ summary, refusals }) => refusals.map(({ code }) => ({ code, summary }))),
    ({ code }) => code,
  )
  const known = Object.entries(errorCodes)
    .filter(([code]) => named.has(code))
    .toSorted(([, a], [, b]) => a.status - b.status)
  const list = (isShared: boolean): string =>
    known
      .filter(([code]) => everywhere.has(code) === isShared)
      .map(([code, own]) => {
        const where = isShared ? [] : (named.get(code) ?? []).map(({ summary }) => `“${summary}”`)
        return describe(code, own, where)
      })
      .join('\n\n')
  return `## Of single operations\n\n${list(false)}\n\n## Of every operation\n\n${list(true)}`
}
