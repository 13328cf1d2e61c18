import { Button, NumberInput, Textarea, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { api } from '../../api/client.ts'
import { quoteCode } from '../../../../src/rules/values/currency.ts'
import { merchantBalances, unacknowledged } from '../../api/merchants.ts'
import { isCode, QuoteCurrency, readCode } from './quote-currency.tsx'
import { LastReports, ReportSettings } from './report-settings.tsx'
import { SettlementSettings } from './settlement-settings.tsx'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { BalanceFiles } from '../../parts/balance-files.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { useMay } from '../../session.ts'
import { TurnClock } from './turn-clock.tsx'
import { typedInto } from '../../parts/typed.ts'
import { language, say } from '../../language.ts'

type Props = { readonly merchant: ProfileAnswer }

const changes = ['merchants']

/** What is owed to a merchant is negative in the ledger; here it is positive. */
const owed = (balance: string): string =>
  balance.startsWith('-') ? balance.slice(1) : `-${balance}`.replace(/^-0(\.0*)?$/, '0')

const numberOf = (typed: number | string): number | null => (typed === '' ? null : Number(typed))

const hostsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)

const bounds = [
  { field: 'maxOpenPayments', label: 'Payments open at the same time', min: 1 },
  {
    field: 'maxHeldPerUser',
    label: 'Amounts that one user may hold at the same time',
    description: 'By unpaid payments',
    min: 1,
  },
  {
    field: 'maxDebt',
    label: 'Largest debt in whole units of its currency',
    description: 'With a larger one it cannot create payments',
    min: 0,
  },
] as const

const Settings = ({ merchant }: Props) => {
  const start = () => ({
    name: merchant.name,
    returnHosts: merchant.settings.returnHosts.join('\n'),
    frameHosts: merchant.settings.frameHosts.join('\n'),
    maxOpenPayments: merchant.settings.maxOpenPayments ?? ('' as number | string),
    maxHeldPerUser: merchant.settings.maxHeldPerUser ?? ('' as number | string),
    maxDebt: merchant.settings.maxDebt ?? ('' as number | string),
    quoteCurrency: quoteCode(merchant.settings.quoteCurrency),
  })
  const [given, setGiven] = useState(start)
  const text = typedInto(given, setGiven)
  const { name, returnHosts, frameHosts } = given
  const settings = {
    returnHosts: hostsOf(returnHosts),
    frameHosts: hostsOf(frameHosts),
    maxOpenPayments: numberOf(given.maxOpenPayments),
    maxHeldPerUser: numberOf(given.maxHeldPerUser),
    maxDebt: numberOf(given.maxDebt),
    quoteCurrency: readCode(given.quoteCurrency),
  }
  return (
    <ActButton
      text="Settings…"
      title={`Settings of ${merchant.name}`}
      confirm="Save the settings"
      onOpen={() => setGiven(start())}
      run={() => api.patch(`/merchants/${merchant.id}`, { name: name.trim(), settings })}
      changes={changes}
      isReady={name.trim() !== '' && isCode(given.quoteCurrency)}
      done="The settings are saved"
    >
      <TextInput label="Name" description="Payers see it" maxLength={200} {...text('name')} />
      <Textarea
        label="Hosts that payers may be sent back to"
        description="One per line; a payment with another returnUrl is refused"
        autosize
        {...text('returnHosts')}
      />
      <Textarea
        label="Hosts that may show the payer's page in a frame"
        description="One per line; leave empty to allow nobody"
        autosize
        {...text('frameHosts')}
      />
      <QuoteCurrency {...text('quoteCurrency')} />
      {bounds.map(({ field, ...words }) => (
        <NumberInput
          key={field}
          {...words}
          placeholder="no limit"
          allowDecimal={false}
          hideControls
          value={given[field]}
          onChange={(typed) => setGiven({ ...given, [field]: typed })}
        />
      ))}
    </ActButton>
  )
}

const SetStatus = ({ merchant }: Props) => {
  const isActive = merchant.status === 'active'
  return (
    <ActButton
      text={isActive ? 'Suspend…' : 'End the suspension…'}
      title={isActive ? `Suspend ${merchant.name}?` : `Resume ${merchant.name}?`}
      confirm={isActive ? 'Suspend the merchant' : 'End the suspension'}
      run={() => api.patch(`/merchants/${merchant.id}`, { status: isActive ? 'suspended' : 'active' })}
      changes={changes}
      done={isActive ? `${merchant.name} is suspended` : `${merchant.name} is active again`}
      isGrave={isActive}
    >
      <p>
        {isActive
          ? 'Its requests are refused from now on, and it can create no payments. Its open payments continue: money that comes for them is still credited.'
          : 'Its tokens work again, and it can create payments.'}
      </p>
    </ActButton>
  )
}

const Balances = ({ merchant }: Props) => {
  const { data } = useLiveQuery(merchantBalances(merchant.id))
  const { data: waiting } = useLiveQuery(unacknowledged(merchant.id))
  return (
    <div className="merchant-tiles">
      <div className="panel tile">
        <span className="quiet small">Owed to the merchant</span>
        {data?.map(({ account, currency, balance, unproven }) => (
          <Fragment key={`${account} ${currency}`}>
            <span className="tile-figure">
              <MoneyText amount={owed(balance)} currency={currency} bold />
              {account.endsWith('held') && <span className="quiet small"> held</span>}
            </span>
            {unproven !== undefined && (
              <span className="quiet small">
                not proven yet: <MoneyText amount={unproven} currency={currency} />
              </span>
            )}
          </Fragment>
        ))}
        {data?.length === 0 && <span className="tile-figure quiet">nothing yet</span>}
      </div>
      <Link className="panel tile" to="/payments" search={{ merchantId: merchant.id, acknowledged: 'false' }}>
        <span className="quiet small">Paid, and not acknowledged by its server</span>
        <span className={`tile-figure${(waiting?.matching ?? 0) > 0 ? ' late' : ''}`}>
          {waiting === undefined || waiting === null
            ? '…'
            : `${waiting.isExact ? '' : 'more than '}${waiting.matching.toLocaleString(language)}`}
        </span>
      </Link>
      <Link className="panel tile" to="/payments" search={{ merchantId: merchant.id }}>
        <span className="quiet small">Payments</span>
        <span className="tile-figure">See all</span>
      </Link>
      <Link className="panel tile" to="/requisites" search={{ merchantId: merchant.id }}>
        <span className="quiet small">Its own requisites</span>
        <span className="tile-figure">See all</span>
      </Link>
    </div>
  )
}

const Files = ({ merchant: { id, settings } }: Props) => {
  const { data = [] } = useLiveQuery(merchantBalances(id))
  const currencies = [...new Set([settings.quoteCurrency, ...data.map(({ currency }) => currency)])]
  return (
    <div className="drawer-actions">
      <BalanceFiles pathOf={(file) => `/merchants/${id}/${file}`} currencies={currencies} />
    </div>
  )
}

/** What a merchant is owed, what it may do, and its suspension. */
export const MerchantOverview = ({ merchant }: Props) => {
  const mayChange = useMay('configure')
  const mayTurn = useMay('decide') && merchant.mode === 'sandbox'
  const { settings, limits } = merchant
  const list = (hosts: readonly string[], none: string) => (hosts.length === 0 ? none : hosts.join(', '))
  return (
    <>
      <Balances merchant={merchant} />
      <Files merchant={merchant} />
      {(mayChange || mayTurn) && (
        <div className="drawer-actions">
          {mayChange && (
            <>
              <Settings merchant={merchant} />
              <SettlementSettings merchant={merchant} />
              <ReportSettings merchant={merchant} />
              <SetStatus merchant={merchant} />
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/team" search={{ invite: merchant.id }} />}
              >
                Invite its people
              </Button>
            </>
          )}
          {mayTurn && <TurnClock merchant={merchant} />}
        </div>
      )}
      <Facts>
        <Fact name="Payers are sent back to">{list(settings.returnHosts, 'no host yet')}</Fact>
        <Fact name="May show the page in a frame">{list(settings.frameHosts, say('nobody'))}</Fact>
        <Fact name="Payments open at the same time">{settings.maxOpenPayments ?? 'no limit'}</Fact>
        <Fact name="Amounts held per user">{settings.maxHeldPerUser ?? 'no limit'}</Fact>
        <Fact name="Credited in">{quoteCode(settings.quoteCurrency)}</Fact>
        <Fact name="Largest debt">
          {settings.maxDebt === null ? (
            'no limit'
          ) : (
            <MoneyText amount={settings.maxDebt} currency={settings.quoteCurrency} />
          )}
        </Fact>
        <LastReports merchant={merchant} />
        {limits.map(({ currency, min, max }) => (
          <Fact key={currency} name={`Amounts in ${currency.toUpperCase()}`}>
            <span>
              <MoneyText amount={min} currency={currency} /> to <MoneyText amount={max} currency={currency} />
            </span>
          </Fact>
        ))}
        <Fact name="Added" at={merchant.createdAt} />
        <Fact name="Merchant">
          <CopyText text={merchant.id} />
        </Fact>
      </Facts>
    </>
  )
}
