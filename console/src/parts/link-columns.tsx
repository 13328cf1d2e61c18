import { LinkAnswer, LinkState } from '../../../src/operations/links.ts'
import { columnsOf } from '../table/field-columns.tsx'
import { MoneyText } from './money-text.tsx'
import { Moment } from './moment.tsx'
import { StatusBadge } from './status-badge.tsx'

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
export const linkColumns = columnsOf<LinkAnswer>(LinkAnswer, [
  {
    field: 'title',
    name: 'For',
    isStrong: true,
    grows: 1.5,
    rank: 0,
    second: ({ state, createdAt }, isShown) =>
      isShown('State') ? <Moment at={createdAt} show="relative" /> : <StatusBadge of={LinkState} word={state} />,
  },
  { name: 'Amount', width: 112, grows: 'content', align: 'end', rank: 0, cell: (link) => <LinkAmount link={link} /> },
  'state',
  { name: 'Paid', width: 80, align: 'end', cell: (link) => <span className="figures">{linkUses(link)}</span> },
  {
    name: 'Under way',
    width: 88,
    align: 'end',
    cell: ({ payments }) => <span className="figures">{payments.underWay}</span>,
  },
  'endsAt',
  'createdBy',
])
