import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printAmount, printNext, printSpan, printTable, printTime } from './print-table.ts'
import { exactNumber, readTyped, span, time, wholeNumber } from './read-arguments.ts'
import { openSession, type Session } from './session.ts'

type Block = {
  readonly id: string
  readonly kind: string
  readonly value: string
  readonly merchantId?: string
  readonly reason: string
  readonly createdBy: string
  readonly endsAt?: string
  readonly endedAt?: string
}

type Rule = {
  readonly id: string
  readonly kind: string
  readonly merchantId?: string
  readonly windowMs: number
  readonly maxCount?: number
  readonly currency?: string
  readonly maxAmount?: number
  readonly reason: string
  readonly endedAt?: string
}

type Decision = {
  readonly id: string
  readonly merchantId: string
  readonly paymentId: string
  readonly place: string
  readonly outcome: string
  readonly rule: string
  readonly ruleId: string
  readonly kind: string
  readonly explanation: Readonly<Record<string, string | number>>
  readonly decidedAt: string
}

const kinds = 'user, phone, account or card'

const idOf = async (session: Session, merchant: string | undefined): Promise<string | undefined> =>
  merchant === undefined ? undefined : findMerchantId(session, merchant)

const fromInput = '- reads it from standard input, which leaves no trace in the history of the shell.'

const endOf = ({ endsAt, endedAt }: Block): string =>
  endedAt === undefined ? (printTime(endsAt) ?? 'never') : `lifted ${printTime(endedAt)}`

const tellBlocks = (blocks: readonly Block[]): string =>
  printTable(
    ['ID', 'KIND', 'VALUE', 'MERCHANT', 'ENDS', 'BY', 'REASON'],
    blocks.map((block) => [
      ...[block.id, block.kind, block.value, block.merchantId ?? 'every', endOf(block)],
      ...[block.createdBy, block.reason],
    ]),
  )

const addBlockCommands = (risk: Command): void => {
  risk
    .command('block <kind> <value>')
    .description(`Block a payer by ${kinds}: its new payments fail. The value is kept sealed; ${fromInput}`)
    .option('--merchant <merchant>', `${merchantArgument}; at every merchant unless told, but a user is one merchant's`)
    .requiredOption('--reason <text>', 'why')
    .option('--until <time>', 'when the block ends by itself', time)
    .action(
      async (
        kind: string,
        value: string,
        options: { merchant?: string; reason: string; until?: string },
        command: Command,
      ) => {
        const session = openSession(command)
        const merchantId = await idOf(session, options.merchant)
        const body = { kind, value: await readTyped(value), merchantId, reason: options.reason, endsAt: options.until }
        session.show(
          await session.send<Block>('POST', '/risk/blocks', body),
          (block) => `Blocked ${block.kind} ${block.value}: ${block.id}.`,
        )
      },
    )

  risk
    .command('unblock <block-id>')
    .description('Lift a block.')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const answer = await session.send<Block>('POST', `/risk/blocks/${encodeURIComponent(id)}/end`, {})
      session.show(answer, (block) => `${block.kind} ${block.value} is no longer blocked by ${block.id}.`)
    })

  risk
    .command('find <kind> <value>')
    .description(`Find the blocks of a payer, the lifted ones included; ${fromInput}`)
    .option('--merchant <merchant>', `${merchantArgument}; needed to find a user`)
    .action(async (kind: string, value: string, { merchant }: { merchant?: string }, command: Command) => {
      const session = openSession(command)
      const body = { kind, value: await readTyped(value), merchantId: await idOf(session, merchant) }
      session.show(await session.send<{ blocks: Block[] }>('POST', '/risk/blocks/find', body), ({ blocks }) =>
        blocks.length === 0 ? 'This payer was never blocked.' : tellBlocks(blocks),
      )
    })

  const list = risk.command('blocks').description('List blocked payers, the newest first; their values are masked.')
  addPageOptions(list).action(async ({ limit, cursor }: { limit: string; cursor?: string }, command: Command) => {
    const session = openSession(command)
    const answer = await session.get<{ blocks: Block[]; nextCursor?: string }>('/risk/blocks', { limit, cursor })
    session.show(answer, ({ blocks, nextCursor }) => {
      if (blocks.length === 0) return 'Nobody is blocked.'
      return tellBlocks(blocks) + printNext(nextCursor)
    })
  })
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
    .option('--merchant <merchant>', `${merchantArgument}; at all merchants together unless told`)
    .requiredOption('--reason <text>', 'why')
    .action(
      async (
        kind: string,
        options: {
          window: number
          count?: number
          amount?: object
          currency?: string
          merchant?: string
          reason: string
        },
        command: Command,
      ) => {
        const session = openSession(command)
        const { window: windowMs, count: maxCount, amount: maxAmount, currency, reason } = options
        const merchantId = await idOf(session, options.merchant)
        const body = { kind, merchantId, windowMs, maxCount, maxAmount, currency, reason }
        session.show(await session.send<Rule>('POST', '/risk/rules', body), (rule) => `Added the rule ${rule.id}.`)
      },
    )

  risk
    .command('unlimit <rule-id>')
    .description('End a velocity rule.')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const answer = await session.send<Rule>('POST', `/risk/rules/${encodeURIComponent(id)}/end`, {})
      session.show(answer, (rule) => `The rule ${rule.id} has ended.`)
    })

  risk
    .command('limits')
    .description('List velocity rules.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ rules: Rule[] }>('/risk/rules'), ({ rules }) => {
        if (rules.length === 0) return 'No velocity rules.'
        const rows = rules.map(({ id, kind, merchantId, windowMs, maxCount, currency, maxAmount, ...rule }) => [
          ...[id, kind, merchantId ?? 'all', printSpan(windowMs), maxCount],
          maxAmount === undefined || currency === undefined ? undefined : printAmount(maxAmount, currency),
          ...[rule.endedAt === undefined ? 'in force' : `ended ${printTime(rule.endedAt)}`, rule.reason],
        ])
        return printTable(['ID', 'KIND', 'MERCHANT', 'WINDOW>', 'PAYMENTS>', 'SUM>', 'STATE', 'REASON'], rows)
      })
    })
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
  addPageOptions(decisions).action(
    async (options: { merchant?: string; payment?: string; limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const { payment: paymentId, limit, cursor } = options
      const query = { merchantId: await idOf(session, options.merchant), paymentId, limit, cursor }
      const answer = await session.get<{ decisions: Decision[]; nextCursor?: string }>('/risk/decisions', query)
      session.show(answer, (body) => {
        if (body.decisions.length === 0) return 'No decisions.'
        const rows = body.decisions.map((each) => [
          ...[
            printTime(each.decidedAt),
            each.outcome,
            each.place,
            `${each.rule} ${each.ruleId}`,
            each.kind,
            each.paymentId,
          ],
          Object.entries(each.explanation)
            .map(([name, value]) => `${name} ${value}`)
            .join(', '),
        ])
        const heads = ['AT', 'OUTCOME', 'PLACE', 'RULE', 'KIND', 'PAYMENT', 'EXPLANATION']
        return printTable(heads, rows) + printNext(body.nextCursor)
      })
    },
  )
}
