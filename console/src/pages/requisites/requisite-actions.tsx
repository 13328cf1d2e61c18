import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HealthAnswer } from '../../../../src/operations/requisite-health.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useMay } from '../../session.ts'
import { LimitFields, readTypedLimits, typeLimits } from './limit-fields.tsx'
import { nameOf } from './requisite-words.ts'
import { SetStatus } from './set-status.tsx'
import { typed } from '../../parts/typed.ts'

const changes = ['requisites', 'overview']

const SetLimits = ({ of }: { readonly of: HealthAnswer }) => {
  const [limits, setLimits] = useState(typeLimits(of.limits))
  return (
    <ActButton
      text="Limits…"
      title={`Limits of ${nameOf(of)}`}
      confirm="Set the limits"
      size="lg"
      onOpen={() => setLimits(typeLimits(of.limits))}
      run={() => api.patch(`/requisites/${of.id}`, { limits: readTypedLimits(limits) })}
      changes={changes}
      done="The limits are set"
    >
      <p className="quiet">
        Amounts are in {of.currency.toUpperCase()}. A payment that would exceed a limit gets another requisite; payments
        that already have it continue.
      </p>
      <LimitFields value={limits} onChange={setLimits} />
    </ActButton>
  )
}

const SetLabel = ({ of }: { readonly of: HealthAnswer }) => {
  const [label, setLabel] = useState(of.label ?? '')
  return (
    <ActButton
      text="Label…"
      title={`Name ${nameOf(of)}`}
      confirm="Set the label"
      onOpen={() => setLabel(of.label ?? '')}
      run={() => api.patch(`/requisites/${of.id}`, { label: label.trim() === '' ? null : label.trim() })}
      changes={changes}
      done="The label is set"
    >
      <TextInput
        label="Label"
        description="Your name for it; leave empty for its bank and last digits"
        maxLength={60}
        data-autofocus
        {...typed(label, setLabel)}
      />
    </ActButton>
  )
}

/** What a person may do about a requisite in its state. */
export const RequisiteActions = ({ of }: { readonly of: HealthAnswer }) => {
  const mayDecide = useMay('decide')
  if (!mayDecide || of.status === 'retired') return null
  return (
    <div className="drawer-actions">
      <SetStatus ids={[of.id]} name={nameOf(of)} to={of.status === 'active' ? 'paused' : 'active'} />
      {of.creditingHeld !== undefined && (
        <ActButton
          text="Resume crediting…"
          title={`Credit money on ${nameOf(of)} automatically again?`}
          confirm="Resume crediting"
          run={() => api.patch(`/requisites/${of.id}`, { crediting: 'automatic' })}
          changes={changes}
          done="Money is credited automatically again"
        >
          <p>
            It was held because {of.creditingHeld.reason}. Money that waits in the inbox meanwhile stays there until
            somebody assigns it.
          </p>
        </ActButton>
      )}
      <SetLimits of={of} />
      <SetLabel of={of} />
      <ActButton
        text="Retire…"
        title={`Retire ${nameOf(of)}?`}
        confirm="Retire it permanently"
        run={() => api.patch(`/requisites/${of.id}`, { status: 'retired' })}
        changes={changes}
        done={`${nameOf(of)} is retired`}
        isGrave
      >
        <p>
          No new payment gets it, and it cannot be reactivated. Payments whose payer has already seen it continue, and
          money for them is still credited; payments whose payer has not seen it fail.
        </p>
      </ActButton>
    </div>
  )
}
