import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auth, knowsPasskeys, type MemberPasskey } from '../../api/auth.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { deviceName } from './device-name.ts'
import { typed } from '../../parts/typed.ts'

const NameField = ({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) => (
  <TextInput
    label="Name"
    description="To recognise it later"
    maxLength={60}
    data-autofocus
    {...typed(value, onChange)}
  />
)

const AddPasskey = () => {
  const [name, setName] = useState(deviceName(navigator.userAgent))
  return (
    <ActButton
      text="Add a passkey…"
      title="Add a passkey"
      confirm="Add the passkey"
      isReady={name.trim() !== ''}
      run={() => auth.addPasskey(name.trim())}
      changes={['account']}
      done="The passkey is added: it signs you in without the password"
    >
      <p>
        This device, or a security key, then signs you in without the password. The code of your authenticator stays.
      </p>
      <NameField value={name} onChange={setName} />
    </ActButton>
  )
}

const PasskeyLine = ({ passkey }: { readonly passkey: MemberPasskey }) => {
  const { id, backedUp, createdAt } = passkey
  const [name, setName] = useState(passkey.name ?? '')
  return (
    <li>
      <span className="plain-about">
        <span className="strong">{passkey.name ?? 'Passkey'}</span>
        <span className="quiet small">
          added <Moment at={createdAt ?? undefined} /> ·{' '}
          {backedUp ? 'synced with one of your accounts' : 'on one device only'}
        </span>
      </span>
      <span className="acts">
        <ActButton
          text="Name…"
          title="Name the passkey"
          confirm="Save the name"
          isReady={name.trim() !== ''}
          run={() => auth.namePasskey(id, name.trim())}
          changes={['account']}
          onOpen={() => setName(passkey.name ?? '')}
        >
          <NameField value={name} onChange={setName} />
        </ActButton>
        <ActButton
          text="Remove…"
          title={`Remove ${passkey.name ?? 'the passkey'}?`}
          confirm="Remove the passkey"
          run={() => auth.removePasskey(id)}
          changes={['account']}
          done="The passkey is removed"
          isGrave
        >
          <p>It no longer signs you in. Your password still does.</p>
        </ActButton>
      </span>
    </li>
  )
}

/** The person's passkeys. */
export const Passkeys = () => {
  const { data = [] } = useQuery({ queryKey: ['account', 'passkeys'], queryFn: auth.passkeys })
  return (
    <section className="panel settings" aria-label="Passkeys">
      <header>
        <h2>Passkeys</h2>
        {knowsPasskeys && <AddPasskey />}
      </header>
      {data.length === 0 && (
        <p className="quiet">None yet. A passkey signs you in with a fingerprint, your face or a security key.</p>
      )}
      <ul className="plain-rows">
        {data.map((passkey) => (
          <PasskeyLine key={passkey.id} passkey={passkey} />
        ))}
      </ul>
    </section>
  )
}
