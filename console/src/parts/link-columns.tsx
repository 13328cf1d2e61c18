import type { LinkAnswer } from '../../../src/operations/links.ts'
import type { Column } from '../table/data-table.tsx'
import { MoneyText } from './money-text.tsx'
import { Moment } from './moment.tsx'
import { Badge, type Tone } from './status-badge.tsx'

type State = LinkAnswer['state']

const states: Readonly<Record<State, readonly [tone: Tone, label: string]>> = {
  open: ['live', 'open'],
  'used-up': ['good', 'used up'],
  ended: ['over', 'ended'],
  closed: ['over', 'closed'],
}

/** States of payment links, to filter by. */
export const linkStateOptions = Object.entries(states).map(([value, [, label]]) => ({ value, label }))

/** Whether payers may start payments from a link, or why not. */
export const LinkBadge = ({ state }: { readonly state: State }) => {
  const [tone, label] = states[state]
  return <Badge tone={tone}>{label}</Badge>
}

/** The amount of a link, or the bounds of what the payer may enter. */
export const LinkAmount = ({ link }: { readonly link: LinkAnswer }) => {
  const { amount, minAmount, maxAmount, currency } = link
  if (amount !== undefined) return <MoneyText amount={amount} currency={currency} />
  if (minAmount === undefined && maxAmount === undefined) return <>any, in {currency.toUpperCase()}</>
  const least = minAmount !== undefined && (
    <>
      from <MoneyText amount={minAmount} currency={currency} />
    </>
  )
  const most = maxAmount !== undefined && (
    <>
      up to <MoneyText amount={maxAmount} currency={currency} />
    </>
  )
  return least && most ? (
    <>
      {least}
      <span className="second">{most}</span>
    </>
  ) : (
    least || most
  )
}

/** How many payments of a link are paid, out of how many it may have. */
export const linkUses = ({ payments, uses, maxUses }: LinkAnswer): string => {
  const most = uses === 'once' ? 1 : maxUses
  return most === undefined ? String(payments.paid) : `${payments.paid} of ${most}`
}

/** Columns of a list of payment links. */
export const linkColumns: readonly Column<LinkAnswer>[] = [
  {
    name: 'For',
    width: 104,
    grows: 1.5,
    cell: ({ title, state, createdAt }, isShown) => (
      <>
        <span className="strong">{title}</span>
        <span className="second">
          {isShown('State') ? <Moment at={createdAt} show="relative" /> : <LinkBadge state={state} />}
        </span>
      </>
    ),
  },
  { name: 'Amount', width: 112, grows: 'content', align: 'end', cell: (link) => <LinkAmount link={link} /> },
  { name: 'State', width: 84, rank: 380, cell: ({ state }) => <LinkBadge state={state} /> },
  {
    name: 'Paid',
    width: 80,
    align: 'end',
    rank: 620,
    cell: (link) => <span className="figures">{linkUses(link)}</span>,
  },
  {
    name: 'Under way',
    width: 88,
    align: 'end',
    rank: 760,
    cell: ({ payments }) => <span className="figures">{payments.underWay}</span>,
  },
  { name: 'Ends', width: 120, rank: 760, cell: ({ endsAt }) => <Moment at={endsAt} /> },
  { name: 'Created by', width: 88, grows: 0.6, rank: 900, cell: ({ createdBy }) => createdBy },
]
