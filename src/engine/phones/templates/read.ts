import type { Context } from '../../context.ts'
import { requireRow } from '../../../rules/refusal.ts'
import { countReadings, findTemplate, selectTemplates } from './store.ts'
import { type Trial, tryOnKept } from './try-on-kept.ts'

/** The templates that operators have taught, the newest first; those that were withdrawn last. */
export const listTemplates = (context: Context) => context.query(selectTemplates, {})

/** How many messages each template has read, and how many of them brought money. */
export const countRead = async (
  context: Context,
): Promise<ReadonlyMap<string, { readonly read: number; readonly recorded: number }>> =>
  new Map((await context.query(countReadings, {})).map(({ templateId, ...counts }) => [templateId, counts]))

/** What a template changes for the messages that are kept; refuses `resource_not_found`. */
export const tryTemplate = async (context: Context, id: string): Promise<Trial> =>
  tryOnKept(context, requireRow(await context.query(findTemplate, { id }), 'template'))
