import type { Command } from 'commander'
import type { BlockAnswer } from '../http/operator-api/risk-blocks.ts'
import type { DecisionAnswer } from '../http/operator-api/risk-decisions.ts'
import type { RuleAnswer } from '../http/operator-api/risk-rules.ts'
import { addExamples } from './describe-command.ts'
import { findOptionalMerchantId, merchantArgument } from './find-merchant-id.ts'
import { pagedList } from './paged-list.ts'
import { type Columns, printAmount, printRows, printSpan, printTime } from './print-table.ts'
import { exactNumber, readTyped, span, time, wholeNumber } from './read-arguments.ts'
import { inSession, path } from './session.ts'

const kinds = 'user, phone, account or card'

const fromInput = '- reads it from standard input, which leaves no trace in the history of the shell.'

const blockColumns: Columns<BlockAnswer> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  VALUE: ({ value }) => value,
  MERCHANT: ({ merchantId }) => merchantId ?? 'every',
  ENDS: ({ endsAt, endedAt }) =>
    endedAt === undefined ? (printTime(endsAt) ?? 'never') : `lifted ${printTime(endedAt)}`,
  BY: ({ createdBy }) => createdBy,
  REASON: ({ reason }) => reason,
}

type BlockOptions = { readonly merchant?: string; readonly reason: string; readonly until?: string }

const addBlockCommands = (risk: Command): void => {
  risk
    .command('block <kind> <value>')
    .description(`Block a payer by ${kinds}: its new payments fail. The value is kept sealed; ${fromInput}`)
    .option('--merchant <merchant>', `${merchantArgument}; default: every merchant, but a user is one merchant's`)
    .requiredOption('--reason <text>', 'why')
    .option('--until <time>', 'when the block ends automatically', time)
    .action(
      inSession(async (session, kind: string, value: string, { merchant, reason, until }: BlockOptions) => {
        const merchantId = await findOptionalMerchantId(session, merchant)
        const body = { kind, value: await readTyped(value), merchantId, reason, endsAt: until }
        session.show(
          await session.send<BlockAnswer>('POST', '/risk/blocks', body),
          (block) => `Blocked ${block.kind} ${block.value}: ${block.id}.`,
        )
      }),
    )

  risk
    .command('unblock <block-id>')
    .description('Lift a block.')
    .action(
      inSession(async (session, id: string) =>
        session.show(
          await session.send<BlockAnswer>('POST', path`/risk/blocks/${id}/end`, {}),
          (block) => `${block.kind} ${block.value} is no longer blocked by ${block.id}.`,
        ),
      ),
    )

  risk
    .command('find <kind> <value>')
    .description(`Find the blocks of a payer, the lifted ones included; ${fromInput}`)
    .option('--merchant <merchant>', `${merchantArgument}; needed to find a user`)
    .action(
      inSession(async (session, kind: string, value: string, { merchant }: { merchant?: string }) => {
        const body = {
          kind,
          value: await readTyped(value),
          merchantId: await findOptionalMerchantId(session, merchant),
        }
        session.show(await session.send<{ blocks: BlockAnswer[] }>('POST', '/risk/blocks/find', body), ({ blocks }) =>
          blocks.length === 0 ? 'This payer was never blocked.' : printRows(blocks, blockColumns),
        )
      }),
    )

  const list = risk.command('blocks').description('List blocked payers, the newest first; their values are masked.')
  pagedList(list, { path: '/risk/blocks', field: 'blocks', none: 'Nobody is blocked.', columns: blockColumns })
}

type LimitOptions = {
  readonly window: number
  readonly count?: number
  readonly amount?: object
  readonly currency?: string
  readonly merchant?: string
  readonly reason: string
}

const addRuleCommands = (risk: Command): void => {
  risk
    .command('limit <kind>')
    .description(
      'Limit how much one payer may pay in a span of time, by user, phone, account or card; account and card only flag, because their money is there.',
    )
    .requiredOption('--window <span>', 'length of the window, such as 1h or 1d', span)
    .option('--count <payments>', 'most payments', wholeNumber)
    .option('--amount <amount>', 'most money, with --currency', exactNumber)
    .option('--currency <currency>', 'code, such as rub')
    .option('--merchant <merchant>', `${merchantArgument}; default: all merchants together`)
    .requiredOption('--reason <text>', 'why')
    .action(
      inSession(async (session, kind: string, options: LimitOptions) => {
        const { window: windowMs, count: maxCount, amount: maxAmount, currency, merchant, reason } = options
        const merchantId = await findOptionalMerchantId(session, merchant)
        const body = { kind, merchantId, windowMs, maxCount, maxAmount, currency, reason }
        session.show(
          await session.send<RuleAnswer>('POST', '/risk/rules', body),
          (rule) => `Added the rule ${rule.id}.`,
        )
      }),
    )

  risk
    .command('unlimit <rule-id>')
    .description('End a velocity rule.')
    .action(
      inSession(async (session, id: string) =>
        session.show(
          await session.send<RuleAnswer>('POST', path`/risk/rules/${id}/end`, {}),
          (rule) => `The rule ${rule.id} has ended.`,
        ),
      ),
    )

  risk
    .command('limits')
    .description('List velocity rules.')
    .action(
      inSession(async (session) =>
        session.show(await session.get<{ rules: RuleAnswer[] }>('/risk/rules'), ({ rules }) =>
          rules.length === 0
            ? 'No velocity rules.'
            : printRows(rules, {
                ID: ({ id }) => id,
                KIND: ({ kind }) => kind,
                MERCHANT: ({ merchantId }) => merchantId ?? 'all',
                'WINDOW>': ({ windowMs }) => printSpan(windowMs),
                'PAYMENTS>': ({ maxCount }) => maxCount,
                'SUM>': ({ maxAmount, currency }) =>
                  maxAmount === undefined || currency === undefined ? undefined : printAmount(maxAmount, currency),
                STATE: ({ endedAt }) => (endedAt === undefined ? 'in force' : `ended ${printTime(endedAt)}`),
                REASON: ({ reason }) => reason,
              }),
        ),
      ),
    )
}

/** Adds `payin risk`. */
export const addRiskCommands = (program: Command): void => {
  const risk = program.command('risk').description('Blocked payers, velocity rules, and what was decided by them.')
  addExamples(risk, [
    'payin risk block phone +79991234567 --reason "Chargebacks in January"',
    'payin risk block user user-42 --merchant "Demo Shop" --reason "Asked by the shop" --until 2026-12-31T00:00:00Z',
    'payin risk limit phone --window 1d --count 5 --reason "At most five a day"',
    'payin risk decisions',
  ])
  addBlockCommands(risk)
  addRuleCommands(risk)
  const decisions = risk
    .command('decisions')
    .description('List refused and flagged payments with the reasons, the newest first.')
    .option('--merchant <merchant>', merchantArgument)
    .option('--payment <payment-id>', 'id of the payment')
  pagedList<DecisionAnswer>(decisions, {
    path: '/risk/decisions',
    field: 'decisions',
    none: 'No decisions.',
    query: ({ payment, ...page }) => ({ ...page, paymentId: payment }),
    columns: {
      AT: ({ decidedAt }) => printTime(decidedAt),
      OUTCOME: ({ outcome }) => outcome,
      PLACE: ({ place }) => place,
      RULE: ({ rule, ruleId }) => `${rule} ${ruleId}`,
      KIND: ({ kind }) => kind,
      PAYMENT: ({ paymentId }) => paymentId,
      EXPLANATION: ({ explanation }) =>
        Object.entries(explanation)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
    },
  })
}
