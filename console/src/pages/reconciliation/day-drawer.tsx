import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { MovementKind } from '../../../../src/rules/money/reconciliation.ts'
import type { WholeDay } from '../../../../src/operations/reconciliation.ts'
import { unexplainedOf, wholeDay } from '../../api/reconciliation.ts'
import { requisiteName } from '../../api/requisites.ts'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentLink } from '../../parts/payment-link.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { useMay } from '../../session.ts'
import { BookOutgoing, ProposedPurpose, Proposals } from './book-outgoing.tsx'
import { Difference } from './difference.tsx'
import { SetClosing, SetOpening } from './set-balance.tsx'
import { personName } from '../../parts/field-values.tsx'
import { language, say } from '../../language.ts'

type Props = { readonly day: WholeDay }

const movementWords: Readonly<Record<MovementKind, string>> = {
  transfers: 'Transfers in',
  outgoing: 'Money out',
  'given-back': 'Money out that came back',
  reversals: 'Taken back by the bank',
  refunds: 'Refunds, not in a statement yet',
  adjustments: 'Adjustments',
}

const Sums = ({ day }: Props) => {
  const { currency, movements } = day
  return (
    <table className="day-sums">
      <tbody>
        <tr>
          <th scope="row">Opening</th>
          <td className="quiet small">by the ledger</td>
          <td>
            <MoneyText amount={day.opening} currency={currency} />
          </td>
        </tr>
        {movements.map(({ kind, count, amount }) => (
          <tr key={kind}>
            <th scope="row">{movementWords[kind]}</th>
            <td className="quiet small">{count.toLocaleString(language)}</td>
            <td>
              {amount > 0 && '+'}
              <MoneyText amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
        <tr className="sum">
          <th scope="row">Closing</th>
          <td className="quiet small">by the ledger</td>
          <td>
            <MoneyText amount={day.ledger} currency={currency} bold />
          </td>
        </tr>
        {day.closings.map(({ closing, source, statementId, recordedAt }) => (
          <tr key={statementId ?? source}>
            <th scope="row">Closing</th>
            <td className="small">
              <span className="quiet">by the bank: </span>
              {statementId === undefined ? (
                say(source)
              ) : (
                <Link to="/statements/$id" params={{ id: statementId }}>
                  {say(source)}
                </Link>
              )}{' '}
              <span className="quiet">
                <Moment at={recordedAt} show="relative" />
              </span>
            </td>
            <td>
              <MoneyText amount={closing} currency={currency} bold />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Possible reasons for a difference, and what can be done about each. */
const Reasons = ({ day }: Props) => {
  const mayReconcile = useMay('reconcile')
  const { requisiteId, openingBalance, possibleDuplicates, unproven, currency } = day
  return (
    <ul className="reasons">
      {openingBalance === undefined && (
        <li>
          <p>
            <strong>Nobody has said what the account held before its first day here.</strong> Until then it is missing
            in the ledger.
          </p>
          {mayReconcile && <SetOpening day={day} />}
        </li>
      )}
      {possibleDuplicates !== 0 && (
        <li>
          <p>
            <strong>
              <MoneyText amount={possibleDuplicates} currency={currency} /> may be money that is already known.
            </strong>{' '}
            Confirm that in Matching to take it out of the ledger.
          </p>
          <Link to={`/matching?requisiteId=${requisiteId}&unusual=duplicate` as '/matching'}>To Matching</Link>
        </li>
      )}
      {unproven !== 0 && (
        <li>
          <p>
            <strong>
              Only messages on phones have reported <MoneyText amount={unproven} currency={currency} />.
            </strong>{' '}
            If the statement of that day is imported, the bank has not booked it.
          </p>
        </li>
      )}
      <li>
        <p>
          <strong>A statement may be missing,</strong> or one was imported twice under two accounts. If the bank booked
          something that no file has reported, the bank has more.
        </p>
        <Link to="/statements">To the statements</Link>
      </li>
      <li>
        <p>
          <strong>The closing balance of the bank may be wrong.</strong>
        </p>
        {mayReconcile && <SetClosing day={day} />}
      </li>
    </ul>
  )
}

const Unexplained = ({ day }: Props) => {
  const { data } = useQuery(unexplainedOf(day.requisiteId))
  const mayBook = useMay('reconcile')
  if (data === undefined) return null
  if (data.length === 0) return <p className="quiet">All money that left this account is explained.</p>
  return (
    <ul className="unexplained">
      {data.map((outgoing) => (
        <li key={outgoing.id}>
          <div className="unexplained-line">
            <span className="strong">
              {outgoing.givenBack ? '+' : '−'}
              <MoneyText amount={outgoing.amount} currency={outgoing.currency} />
            </span>
            <span className="cut">{outgoing.payeeName ?? outgoing.payee ?? outgoing.text}</span>
            <span className="quiet small">
              <Moment at={outgoing.bookedAt} />
            </span>
            {mayBook && <BookOutgoing outgoing={outgoing} />}
          </div>
          {outgoing.text !== undefined && <p className="quiet small">{outgoing.text}</p>}
          <ProposedPurpose outgoing={outgoing} />
          {outgoing.proposals.length > 0 && <Proposals outgoing={outgoing} mayBook={mayBook} />}
        </li>
      ))}
    </ul>
  )
}

const InTransit = ({ day: { refundsInTransit, currency } }: Props) => (
  <ul className="unexplained">
    {refundsInTransit.map((refund) => (
      <li key={`${refund.merchantId} ${refund.reference}`}>
        <div className="unexplained-line">
          <MoneyText amount={refund.amount} currency={currency} bold />
          <span className="cut">
            {refund.reference} for <PaymentLink {...refund} />
          </span>
          <span className="quiet small">
            <Moment at={refund.bookedAt} />
          </span>
        </div>
      </li>
    ))}
  </ul>
)

const ReversalsInTransit = ({ day: { reversalsInTransit, currency } }: Props) => (
  <ul className="unexplained">
    {reversalsInTransit.map((reversal) => (
      <li key={reversal.transferId}>
        <div className="unexplained-line">
          <MoneyText amount={reversal.amount} currency={currency} bold />
          <span className="cut">
            transfer {reversal.transferId}, by {personName(reversal.announcedBy)}
          </span>
          <span className="quiet small">
            <Moment at={reversal.bookedAt} />
          </span>
        </div>
      </li>
    ))}
  </ul>
)

const Content = ({ day }: Props) => {
  const [closing] = day.closings
  return (
    <>
      <div className="drawer-amount">
        {closing === undefined ? (
          <span className="quiet">The bank has not said what the account held at the end of this day.</span>
        ) : (
          <Difference amount={closing.difference} even={closing.even} currency={day.currency} large />
        )}
      </div>
      <Sums day={day} />
      {closing?.even ? (
        <p className="even-line">
          <Icon name="check" /> The bank and the ledger have the same at the end of this day
          {closing.difference === 0 ? '.' : ', but for what is in transit.'}
        </p>
      ) : (
        <section>
          <h2>How it gets to zero</h2>
          <Reasons day={day} />
        </section>
      )}
      {day.refundsInTransit.length > 0 && (
        <section>
          <h2>Refunds in transit</h2>
          <p className="quiet">
            Decided, and not in a statement yet: the bank has the money until it has sent them. If one was not sent,
            send it, or book the money that left to it.
          </p>
          <InTransit day={day} />
        </section>
      )}
      {day.reversalsInTransit.length > 0 && (
        <section>
          <h2>Reversals in transit</h2>
          <p className="quiet">
            Announced, and not in a statement yet. If the bank never reports one, another operator reverses the
            transfer, too.
          </p>
          <ReversalsInTransit day={day} />
        </section>
      )}
      <section>
        <h2>Unexplained outgoing money</h2>
        <Unexplained day={day} />
      </section>
      {day.openingBalance !== undefined && (
        <p className="quiet small">
          Opening balance: <MoneyText amount={day.openingBalance.balance} currency={day.currency} /> on the morning of{' '}
          {day.openingBalance.day}, set by {personName(day.openingBalance.setBy)} ({day.openingBalance.reason}).
        </p>
      )}
    </>
  )
}

/** A day of a requisite at the side of the list. */
export const dayDetails: Details<WholeDay> = {
  read: wholeDay,
  name: 'Day',
  title: ({ day, requisite }) => `${day} · ${requisite === undefined ? '' : requisiteName(requisite)}`,
  content: (day) => <Content day={day} />,
}
