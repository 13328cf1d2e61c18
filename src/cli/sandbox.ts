import { sandbox } from '../operations/sandbox.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { command } from './commands.ts'
import { Failure } from './failure.ts'
import { onlyGiven, option, outputFile } from './inputs.ts'
import { ofMerchant, ofRequisite, orderKey } from './named-inputs.ts'
import { commandOf, nounCommands } from './noun-commands.ts'

type Simulated = Parameters<Payin['sandbox']['simulate']>[1]

const { operations } = sandbox

export const sandboxCommands = nounCommands(sandbox, {
  simulate: commandOf(operations.simulate, {
    inputs: orderKey,
    asMerchant: (payin, { id, merchantId: _, ...given }) =>
      payin.sandbox.simulate(id as string, onlyGiven(given) as Simulated),
  }),
  turn: commandOf(operations.turn, {
    inputs: { id: ofMerchant(', for operators') },
    asMerchant: (payin, { forwardMs }) => payin.sandbox.turnClock({ forwardMs: forwardMs as number }),
    values: async (given) => {
      if (given['id'] !== undefined) return given
      throw new Failure(['Name the merchant (--merchant "Demo Shop"), or give its token (--token payin_test_…).'], 2)
    },
  }),
  statement: command({
    description: "Save a statement of the simulated bank, to import like any bank's.",
    inputs: {
      output: outputFile,
      day: option('--day <day>', 'such as 2026-01-31; default: today'),
      merchantId: ofMerchant(', for operators: only the money of its payments'),
      requisiteId: ofRequisite(', for operators: only its account'),
    },
    run: async (session, { output, merchantId, requisiteId, ...rest }) => {
      const given = onlyGiven(rest)
      if (session.side() === 'operator')
        return session.save('GET /sandbox/statement', { ...given, requisiteId, merchantId, output })
      const text = await session.merchant().ask((payin) => payin.sandbox.statement(given))
      await session.saveContent(new TextEncoder().encode(text), output)
    },
  }),
})
