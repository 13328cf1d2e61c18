import { fieldsOf } from '../operations/field.ts'
import { DiagnosisAnswer, installation } from '../operations/installation.ts'
import { audit } from '../operations/audit.ts'
import { balances } from '../operations/ledger.ts'
import { overview } from '../operations/overview.ts'
import { ownAccount } from '../operations/own-account.ts'
import { search } from '../operations/search.ts'
import { commandOf } from './noun-commands.ts'
import type { Commands } from './commands.ts'
import { type Printed, printSections, printTime } from './print-table.ts'
import { printTables } from './show-rows.ts'
import { argument, flag } from './inputs.ts'
import { findTypedDay, spanOfDay } from '../rules/search/search-day.ts'

type Listed = { readonly list?: true }

const describeDiagnosis = (answer: DiagnosisAnswer, { list }: Listed): Printed => {
  const { healthy, since, checks, notes = [] } = answer
  const broken = checks.filter((check) => check.broken > 0)
  const holding =
    since === undefined
      ? `Healthy: all ${checks.length} invariants hold.`
      : `Healthy: ${checks.length} invariants hold for everything changed since ${printTime(since)}; the rest was verified before (--full reads it again).`
  return printSections(
    healthy ? holding : `Not healthy: ${broken.length} of ${checks.length} invariants are broken.`,
    ...printTables(fieldsOf(DiagnosisAnswer), { checks: list ? checks : broken }),
    ...notes,
  )
}

export const oversightCommands: Commands = {
  today: commandOf(overview.today),
  find: commandOf(search.find, {
    inputs: {
      q: argument(
        '<text...>',
        'what to look for; all words must match; a day such as yesterday or 20 Nov, too',
        (word: string, before?: string) => (before === undefined ? word : `${before} ${word}`),
      ),
    },
    // With an option for the time, words are never days.
    values: async (given, session) => {
      const { q, from, to, limit } = given as { q: string; from?: string; to?: string; limit?: string }
      const found = from === undefined && to === undefined ? findTypedDay(q) : null
      if (found === null) return { q, from, to, limit }
      const span = spanOfDay(found.day, new Date(await session.now()))
      return { q: found.rest || undefined, from: span.from.toISOString(), to: span.to.toISOString(), limit }
    },
  }),
  balances: commandOf(balances.balances),
  whoami: commandOf(ownAccount.whoami),
  doctor: commandOf(installation.doctor, {
    inputs: { list: flag('--list', 'list each invariant that was checked, with its meaning') },
    values: async ({ full }) => ({ full }),
    print: describeDiagnosis,
  }),
  installation: commandOf(installation.installation),
  audit: commandOf(audit.audit, { csvOf: 'GET /audit/entries' }),
}
