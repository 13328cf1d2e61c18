import type { Context, Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { day } from '../domain/time.ts'
import { findPeople } from './store.ts'

const nameOf = (actor: string): string => actor.replace(/^operator:/, '')

/**
 * Refuses `second_person_required` if one operator decides on a draft of another one and the two, as events name them,
 * are not certainly two people. An account and a token may belong to one person, and so may a young account, and two of
 * which one has invited the other, or reset its password or second factor. Accounts and tokens never share a name.
 * `main` has the accounts. What an author may decide alone is checked elsewhere.
 */
export const refuseOnePerson = async (main: Context, tx: Tx, author: string, second: string): Promise<void> => {
  if (author === second) return
  const names = [nameOf(author), nameOf(second)]
  const refuse = (doubt: string): Refusal =>
    new Refusal('second_person_required', `The author and whoever approves must be two people, but ${doubt}.`)
  const people = await (tx.tenant === main.tenant ? tx : main).query(findPeople, { names })
  // Whoever runs the service gives each token to a person.
  if (people.length === 0) return
  if (people.length === 1) throw refuse(`of ${names.join(' and ')} one is an account of the console, the other a token`)
  const young = people.find(({ createdAt }) => createdAt > tx.now - main.settings.secondPersonAgeDays * day)
  if (young) throw refuse(`the account ${young.name} is too new (PAYIN_SECOND_PERSON_AGE_DAYS)`)
  const made = people.find(({ vouchedBy }) => vouchedBy !== null)
  if (made) throw refuse(`${made.vouchedBy} has invited ${made.name}, or reset the password or second factor`)
}
