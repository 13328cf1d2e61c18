import { Select, Textarea } from '@mantine/core'
import { useState } from 'react'
import { type ProfileAnswer, ReportMailState } from '../../../../src/operations/merchants.ts'
import { reportSpans } from '../../../../src/rules/merchants/merchant.ts'
import { api } from '../../api/client.ts'
import { say } from '../../language.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Fact } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'

type Props = { readonly merchant: ProfileAnswer }

const spanNames: Readonly<Record<(typeof reportSpans)[number], string>> = { day: 'Each day', month: 'Each month' }

const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

/** Which reports a merchant is sent by e-mail, and to whom. */
export const ReportSettings = ({ merchant }: Props) => {
  const { settings } = merchant
  const start = () => ({ reportEvery: settings.reportEvery, reportTo: settings.reportTo.join('\n') })
  const [given, setGiven] = useState(start)
  const { reportEvery, reportTo } = given
  const addresses = addressesOf(reportTo)
  return (
    <ActButton
      text="Reports…"
      title={`Reports that ${merchant.name} is sent`}
      confirm="Save the settings"
      onOpen={() => setGiven(start())}
      run={() => api.patch(`/merchants/${merchant.id}`, { settings: { reportEvery, reportTo: addresses } })}
      changes={['merchants', 'audit']}
      isReady={reportEvery === null || addresses.length > 0}
      done="The settings are saved"
    >
      <Select
        label="Report by e-mail"
        description="Payments, fees, refunds, settlements and balances, after the end of the period in UTC"
        data={reportSpans.map((value) => ({ value, label: spanNames[value] }))}
        placeholder="Never"
        clearable
        value={reportEvery}
        onChange={(chosen) => setGiven({ ...given, reportEvery: reportSpans.find((each) => each === chosen) ?? null })}
        comboboxProps={{ zIndex: 400 }}
      />
      <Textarea
        label="Addresses"
        description="One per line; they see each other"
        autosize
        value={reportTo}
        onChange={(event) => setGiven({ ...given, reportTo: event.currentTarget.value })}
      />
    </ActButton>
  )
}

/** Which reports are sent, and what has become of the last one. */
export const LastReports = ({ merchant: { settings, reports } }: Props) => {
  const [last] = reports
  if (settings.reportEvery === null && last === undefined) return null
  return (
    <>
      <Fact name="Report by e-mail">
        {settings.reportEvery === null
          ? 'never'
          : `${say(spanNames[settings.reportEvery])}: ${settings.reportTo.join(', ')}`}
      </Fact>
      {last !== undefined && (
        <Fact name="Last report">
          <span>
            {last.period} <StatusBadge of={ReportMailState} word={last.state} />{' '}
            <Moment at={last.finishedAt ?? last.createdAt} />
            {last.lastError !== undefined && <span className="quiet small"> {last.lastError}</span>}
          </span>
        </Fact>
      )}
    </>
  )
}
