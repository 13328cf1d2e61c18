import { banks, longestMessage, TemplateFault, teach, textFrom } from 'bank-messages'
import type { Context, Tx } from '../../context.ts'
import { raiseCatalogVersion } from '../../catalog.ts'
import type { TaughtKind } from '../../../rules/phones/phone.ts'
import { type MarkedText, readMarkedText } from '../../../rules/phones/marked-text.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { refuseApproval, unapprovedOf } from '../../transfers/approve-reporter.ts'
import type { Assigner } from '../../transfers/transfer-parts.ts'
import { getMessage } from '../read.ts'
import { type MessageContent, openContent } from '../read-message.ts'
import {
  countTemplates,
  forgetReadings,
  insertTemplate,
  lockTemplate,
  type StoredTemplate,
  updateTemplate,
} from './store.ts'
import { type Trial, tryOnKept } from './try-on-kept.ts'

/** How many templates of one bank are not withdrawn, at most: each message of the bank is compared with all of them. */
const mostOfBank = 200

/** A template that an operator has taught. */
export type Template = StoredTemplate

/** What an operator marks in a message: its text with the marks in it. */
export type Lesson = { readonly messageId: string; readonly kind: TaughtKind; readonly marked: string }

/** A template that was made from a message, what it reads there, and what it would read of the messages that are kept. */
export type Taught = {
  readonly bank: string
  readonly template: string
  readonly fields: Readonly<Record<string, string | null>>
  readonly fixed: readonly string[]
  readonly trial: Trial
}

const faulty = (reason: string): Refusal => refuseField('marked', reason)

const sameSpaces = (text: string): string => text.trim().replaceAll(/\s/g, ' ')

/** The text that templates are compared with, and its marks; refuses a text that is not the message's. */
const markedIn = (content: MessageContent, marked: MarkedText, source: string): MarkedText => {
  // Whoever does not know the text learns nothing of it.
  const whole = [content.title, content.text].filter((each) => each !== null).join('\n')
  if (sameSpaces(marked.text) !== sameSpaces(whole))
    throw faulty('is not what the bank has written: reveal the message, and write its text with the marks in it.')
  const text = whole.trim()
  const before = text.length - source.trim().length
  const marks = marked.marks.map((each) => ({ ...each, from: each.from - before, to: each.to - before }))
  if (marks.some(({ from }) => from < 0)) throw faulty('has a mark in the title, which only names the sender.')
  return { text: source.trim(), marks }
}

const teachFrom = (content: MessageContent, bankName: string, { kind, marked }: Lesson) => {
  const read = readMarkedText(marked.trim())
  if ('fault' in read) throw faulty(`cannot be read: ${read.fault}.`)
  const bank = banks.find((each) => each.bank === bankName)
  const source = bank && textFrom(bank, content)
  if (bank === undefined || source === undefined)
    throw invalidState(`The templates of ${bankName} read no messages of this sender.`)
  if (read.text.length > longestMessage) throw faulty(`has more than ${longestMessage} characters.`)
  const { text, marks } = markedIn(content, read, source)
  try {
    const taught = teach({ channel: content.channel, text }, kind, marks, bank)
    if ('fault' in taught) throw faulty(`makes no template: ${taught.fault}.`)
    return taught
  } catch (error) {
    if (error instanceof TemplateFault) throw faulty(`makes no template: ${error.message}.`)
    throw error
  }
}

/**
 * Makes a template from a message that nobody could read, and tries it on all kept messages of the bank. Refuses
 * `resource_not_found`, `invalid_state` if the message is read already or its text was deleted, and `validation_failed` for
 * marks that make no template, or one that other templates contradict.
 */
export const tryLesson = async (context: Context, lesson: Lesson): Promise<Taught> => {
  const message = await getMessage(context, lesson.messageId)
  if (message.kind !== 'unknown') throw invalidState('The message is read already.')
  const content = openContent(context.vault, message.id, message.contentSealed)
  if (content === null) throw invalidState('What the bank has written was deleted.')
  const { bank } = message
  const { template, fields, fixed } = teachFrom(content, bank, lesson)
  const { messageId, kind } = lesson
  const trial = await tryOnKept(context, { messageId, bank, kind, template })
  if (trial.own?.kind !== kind) throw faulty('makes no template: another one reads the text otherwise.')
  return { bank, template, fields, fixed, trial }
}

/** Refuses `invalid_state` if a template contradicts what is read already. */
export const refuseContradicting = ({ counts: { contradicted } }: Trial): void => {
  if (contradicted > 0)
    throw invalidState(
      `It contradicts messages that are read already (${contradicted}): mark less, or withdraw the other template.`,
    )
}

/**
 * Saves a template as `tryLesson` has tried it. If `changedBy` names who alone teaches it, nothing is read with it until
 * another operator approves it. Refuses `already_exists`, and `invalid_state` if it contradicts what is read already.
 */
export const saveTemplate = async (
  tx: Tx,
  { messageId, kind }: Lesson,
  { bank, template, trial }: Taught,
  by: { readonly taughtBy: string; readonly changedBy: string | null },
): Promise<StoredTemplate> => {
  refuseContradicting(trial)
  // First, because it excludes other changes of templates until this one is done.
  await raiseCatalogVersion(tx, 'templates')
  const [{ count } = { count: 0 }] = await tx.query(countTemplates, { bank })
  if (count >= mostOfBank) throw invalidState(`${bank} has ${mostOfBank} templates: withdraw those that read nothing.`)
  const row = {
    ...{ id: tx.newId(), bank, kind, messageId, taughtAt: tx.now, ...by },
    // Line breaks are read as spaces, and would look like lines of ours where it is approved.
    template: template.replaceAll(/\s+/g, ' '),
    ...{ usedSince: by.changedBy === null ? tx.now : null, withdrawnBy: null, withdrawnAt: null },
  }
  const [added] = await tx.query(insertTemplate, row)
  if (!added) throw new Refusal('already_exists', 'The same template was taught before; it may wait for an approval.')
  return row
}

/** What of a template waits for an approval. */
export const unapprovedOfTemplate = (row: StoredTemplate) =>
  row.withdrawnAt === null ? unapprovedOf(row, [row.bank, row.kind, row.template]) : null

const lock = async (tx: Tx, id: string): Promise<StoredTemplate> => {
  await raiseCatalogVersion(tx, 'templates')
  const before = requireRow(await tx.query(lockTemplate, { id }), 'template')
  if (before.withdrawnAt !== null) throw invalidState('The template was withdrawn.')
  return before
}

/**
 * Approves a template as it was `seen`: messages are then read with it. Refuses `resource_not_found`, `invalid_state` if it
 * was withdrawn, and as `refuseApproval` does.
 */
export const approveTemplate = async (
  tx: Tx,
  id: string,
  seen: string,
  second: Pick<Assigner, 'refuseOnePerson'>,
): Promise<StoredTemplate> => {
  const before = await lock(tx, id)
  await refuseApproval(tx, 'template', unapprovedOfTemplate(before), seen, second)
  const approved = { ...before, changedBy: null, usedSince: tx.now }
  await tx.query(updateTemplate, approved)
  return approved
}

/**
 * Withdraws a template: nothing is read with it any more, and what it has read that brought no money waits again. Refuses
 * `resource_not_found`, and `invalid_state` if it was withdrawn before. Returns how many messages wait again.
 */
export const withdrawTemplate = async (tx: Tx, id: string, withdrawnBy: string): Promise<number> => {
  const before = await lock(tx, id)
  await tx.query(updateTemplate, { ...before, withdrawnBy, withdrawnAt: tx.now })
  return (await tx.query(forgetReadings, { id })).length
}
