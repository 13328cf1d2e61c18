import { Link } from '@tanstack/react-router'
import { formatMinuteOfDay } from '../../../../src/rules/time.ts'
import type { HealthAnswer } from '../../../../src/operations/requisite-health.ts'
import { requisiteHealth } from '../../api/requisites.ts'
import { formatMoney } from '../../money.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { UsageBar } from '../../parts/usage-bar.tsx'
import { formatSpan } from '../../span.ts'
import { useNow } from '../../time.ts'
import { RequisiteActions } from './requisite-actions.tsx'
import { healthReasons, nameOf, rateText, toneOf } from './requisite-words.ts'
import { say } from '../../language.ts'
import { zoneText } from '../../parts/zone-text.ts'

/** The fields of a payment order, in words. */
const recipientWords = {
  inn: 'INN',
  kpp: 'KPP',
  bic: 'BIC',
  correspondentAccount: 'Correspondent account',
  purpose: 'Payment purpose',
} as const

const Usage = ({ of: { turnover, limits, currency } }: { readonly of: HealthAnswer }) => {
  const rows = [
    ['Sum today', turnover.dayAmount, limits.dayAmount, true],
    ['Payments today', turnover.dayCount, limits.dayCount, false],
    ['Sum this month', turnover.monthAmount, limits.monthAmount, true],
    ['Payments this month', turnover.monthCount, limits.monthCount, false],
    ['Open payments', turnover.open, limits.openPayments, false],
  ] as const
  return (
    <ul className="usages">
      {rows.map(([name, used, limit, isMoney]) => (
        <li key={name}>
          <UsageBar used={used} limit={limit}>
            <span className="usage-line">
              <span className="quiet">{name}</span>
              <span className="figures">
                {isMoney ? formatMoney(used, currency) : used}
                {limit !== null && <span className="quiet"> of {isMoney ? formatMoney(limit, currency) : limit}</span>}
              </span>
            </span>
          </UsageBar>
        </li>
      ))}
    </ul>
  )
}

const hours = (minutes: readonly [number, number] | null): string =>
  minutes === null ? 'the whole day' : minutes.map(formatMinuteOfDay).join('–')

const windowText = (ms: number | null): string => (ms === null ? "by the merchant's terms" : formatSpan(ms))

const Content = ({ of }: { readonly of: HealthAnswer }) => {
  const now = useNow()
  const reasons = healthReasons(of, now)
  const { limits, currency } = of
  return (
    <>
      <div className="drawer-amount">
        <Badge tone={toneOf(of)}>{of.status}</Badge>
        <span>
          {say(of.method)} · {of.bankIssuer} ·{' '}
          <MaskedNumber masked={of.number} of="the requisite" path={`/requisites/${of.id}`} />
        </span>
      </div>
      {reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <RequisiteActions of={of} />
      <section>
        <h2>Turnover against limits</h2>
        <Usage of={of} />
      </section>
      <Facts>
        <Fact name="Paid, last 24 hours">{rateText(of.lastDay)}</Fact>
        <Fact name="Paid, last 7 days">{rateText(of.lastWeek)}</Fact>
        <Fact name="Last money">
          <Moment at={of.lastMoneyAt} show="relative" />
        </Fact>
        <Fact name="Expired in a row">{of.expiredRun}</Fact>
        <Fact name="Unmatched senders in a row">{of.unmatchedRun}</Fact>
        <Fact name="Paused automatically after">{limits.pauseAfter ?? 'never'}</Fact>
        <Fact name="Holder">{of.holder}</Fact>
        <Fact name="Payers see">{of.shownName}</Fact>
        {Object.entries(recipientWords).map(([name, words]) => {
          const value = of.recipient?.[name as keyof typeof recipientWords]
          return value === undefined ? null : (
            <Fact key={name} name={words}>
              {value}
            </Fact>
          )
        })}
        <Fact name="Owner">{of.merchantName ?? 'shared by all'}</Fact>
        <Fact name="Mode">{say(of.mode)}</Fact>
        <Fact name="One transfer">
          {limits.minAmount === null && limits.maxAmount === null ? (
            'any amount'
          ) : (
            <>
              {limits.minAmount !== null && (
                <span>
                  from <MoneyText amount={limits.minAmount} currency={currency} />
                </span>
              )}
              {limits.maxAmount !== null && (
                <span>
                  to <MoneyText amount={limits.maxAmount} currency={currency} />
                </span>
              )}
            </>
          )}
        </Fact>
        <Fact name="Allocated">{hours(limits.workingMinutes)}</Fact>
        <Fact name="Time zone">{zoneText(limits.utcOffsetMinutes)}</Fact>
        <Fact name="Late window">{windowText(limits.lateWindowMs)}</Fact>
        <Fact name="Cool-down">{windowText(limits.coolDownMs)}</Fact>
        <Fact name="Requisite">
          <CopyText text={of.id} />
        </Fact>
      </Facts>
      <p>
        <Link to="/payments" search={{ requisiteId: of.id }}>
          Its payments
        </Link>
      </p>
    </>
  )
}

/** A requisite at the side of the list: its limits, its health with the reasons, and what can be done. */
export const requisiteDetails: Details<HealthAnswer | null> = {
  read: requisiteHealth,
  name: 'Requisite',
  title: (found) => (found === null ? 'Requisite' : nameOf(found)),
  content: (found) => (found === null ? <p className="quiet">There is no such requisite.</p> : <Content of={found} />),
}
