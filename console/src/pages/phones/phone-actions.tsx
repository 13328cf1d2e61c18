import { NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { approvedOfPhone, type PhoneAnswer, type PhoneSecret } from '../../../../src/operations/phones.ts'
import { phoneApps } from '../../../../src/rules/phones/phone.ts'
import { api } from '../../api/client.ts'
import { accountText, ApprovedList } from '../../parts/approved-list.tsx'
import { ActButton } from '../../parts/act-button.tsx'
import { personName } from '../../parts/field-values.tsx'
import { RequisitesField } from '../../parts/requisite-field.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { typedInto } from '../../parts/typed.ts'
import { useMay } from '../../session.ts'
import { choicesOf, say } from '../../language.ts'

const changes = ['phones']

/** How to set up the app, with the secret, which is shown once. */
const Steps = ({ secret, steps, scanned }: PhoneSecret) => (
  <SecretOnce title="The secret of the phone" secret={secret}>
    <p className="small">Scan with the camera of the phone, and copy what it shows. Nobody else may see this.</p>
    <div className="scanned">
      {scanned.map(({ name, text }) => (
        <figure key={name}>
          <QrCode text={text} label={say(`QR code: ${name}`)} />
          <figcaption className="quiet small">{say(name)}</figcaption>
        </figure>
      ))}
    </div>
    <ol>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  </SecretOnce>
)

const empty = { name: '', app: 'smsgate', requisiteIds: [] as string[], dailyLimit: 100 }

/** Adds a phone that forwards messages of banks. */
export const AddPhone = () => {
  const [given, setGiven] = useState(empty)
  const field = typedInto(given, setGiven)
  return (
    <ActButton
      text="Add a phone"
      variant="filled"
      title="Add a phone"
      confirm="Add the phone"
      onOpen={() => setGiven(empty)}
      isReady={given.name.trim() !== '' && given.requisiteIds.length > 0}
      run={() => api.post<PhoneSecret>('/phones', { ...given, name: given.name.trim() })}
      changes={changes}
      result={(made: PhoneSecret) => <Steps {...made} />}
    >
      <p>It forwards what banks write about the money on some accounts.</p>
      <TextInput label="Name" placeholder="Anna’s phone" maxLength={100} data-autofocus {...field('name')} />
      <Select
        label="App"
        data={choicesOf(phoneApps)}
        value={given.app}
        onChange={(app) => setGiven({ ...given, app: app ?? empty.app })}
        comboboxProps={{ zIndex: 400 }}
      />
      <RequisitesField
        about="The accounts whose money its messages report"
        value={given.requisiteIds}
        onChange={(requisiteIds) => setGiven({ ...given, requisiteIds })}
      />
      <NumberInput
        label="USDT a day"
        description="What its messages credit without a person or a statement; the rest waits"
        min={0}
        max={999_999_999}
        allowDecimal={false}
        value={given.dailyLimit}
        onChange={(limit) => setGiven({ ...given, dailyLimit: Number(limit) })}
      />
    </ActButton>
  )
}

const Approve = ({ phone: known }: { readonly phone: PhoneAnswer }) => {
  // Lists are read again while the dialog is open.
  const [phone, setPhone] = useState(known)
  return (
    <ActButton
      text="Approve…"
      title={`Approve ${phone.name}?`}
      confirm="Approve the phone"
      onOpen={() => setPhone(known)}
      run={() => api.post(`/phones/${phone.id}/approve`, { version: phone.unapproved?.version })}
      changes={changes}
      done={`${phone.name} is approved`}
    >
      <p>
        {personName(phone.unapproved?.by)} alone added it or changed it. Once you approve it, its messages credit up to{' '}
        {phone.dailyLimit} USDT a day. Make sure that the phone uses this secret.
      </p>
      <ApprovedList of={approvedOfPhone(phone, accountText)} />
    </ActButton>
  )
}

const Rotate = ({ phone: { id, name } }: { readonly phone: PhoneAnswer }) => (
  <ActButton
    text="New secret…"
    title={`Another secret for ${name}?`}
    confirm="Make the secret"
    run={() => api.post<PhoneSecret>(`/phones/${id}/secret`, undefined)}
    changes={changes}
    result={(made: PhoneSecret) => <Steps {...made} />}
    isGrave
  >
    <p>Its current secret stops working now: what it sends is refused until it has the new one.</p>
  </ActButton>
)

const states = {
  pause: { text: 'Pause…', confirm: 'Pause the phone', about: 'What its messages report waits in the inbox.' },
  resume: { text: 'Resume…', confirm: 'Resume the phone', about: 'Its messages credit again, up to its limit.' },
  remove: { text: 'Remove…', confirm: 'Remove the phone', about: 'Its secret ends for good. What it reported stays.' },
} as const

const SetState = ({ phone, step }: { readonly phone: PhoneAnswer; readonly step: keyof typeof states }) => (
  <ActButton
    text={states[step].text}
    title={`${states[step].confirm} ${phone.name}?`}
    confirm={states[step].confirm}
    run={() => api.post(`/phones/${phone.id}/${step}`, undefined)}
    changes={changes}
    done={`${phone.name}: done`}
    isGrave={step === 'remove'}
  >
    <p>{states[step].about}</p>
  </ActButton>
)

/** What an operator can do about a phone. */
export const PhoneActs = ({ phone }: { readonly phone: PhoneAnswer }) => {
  const mayConfigure = useMay('configure')
  const mayApprove = useMay('reconcile') && phone.unapproved !== undefined
  if (!mayConfigure && !mayApprove) return null
  return (
    <div className="acts">
      {mayApprove && <Approve phone={phone} />}
      {mayConfigure && (
        <>
          <Rotate phone={phone} />
          <SetState phone={phone} step={phone.state === 'paused' ? 'resume' : 'pause'} />
          <SetState phone={phone} step="remove" />
        </>
      )}
    </div>
  )
}
