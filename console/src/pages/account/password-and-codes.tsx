import { Button, CopyButton, Modal, PasswordInput, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { passwordLength } from '../../../../src/rules/members/member.ts'
import { auth } from '../../api/auth.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { typed, typedInto } from '../../parts/typed.ts'
import { say } from '../../language.ts'

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly isNew?: boolean
}

const PasswordField = ({ label, value, onChange, isNew = false }: FieldProps) => (
  <PasswordInput
    label={label}
    size="xs"
    autoComplete={isNew ? 'new-password' : 'current-password'}
    {...(isNew ? { description: `At least ${passwordLength.least} characters` } : {})}
    {...typed(value, onChange)}
  />
)

/** Changes the password, which ends the other sessions. */
export const ChangePassword = () => {
  const [given, setGiven] = useState({ current: '', next: '', again: '' })
  const field = typedInto(given, setGiven)
  const isReady = given.current !== '' && given.next.length >= passwordLength.least && given.next === given.again
  return (
    <ActButton
      text="Change the password…"
      title="Change your password"
      confirm="Change the password"
      isReady={isReady}
      run={() => auth.changePassword(given.current, given.next)}
      changes={['account']}
      done="The password is changed, and your other sessions have ended"
      onOpen={() => setGiven({ current: '', next: '', again: '' })}
    >
      <p>All your other sessions end.</p>
      <PasswordField
        label="Your password"
        value={given.current}
        onChange={(current) => setGiven({ ...given, current })}
      />
      <PasswordField label="New password" value={given.next} isNew onChange={(next) => setGiven({ ...given, next })} />
      <PasswordInput
        label="New password again"
        size="xs"
        autoComplete="new-password"
        error={given.again !== '' && given.again !== given.next && 'The passwords differ'}
        {...field('again')}
      />
    </ActButton>
  )
}

/** Makes new recovery codes in place of the old ones, and shows them once. */
export const NewRecoveryCodes = () => {
  const [password, setPassword] = useState('')
  return (
    <ActButton
      text="New recovery codes…"
      title="New recovery codes"
      confirm="Make new codes"
      isReady={password !== ''}
      run={() => auth.newRecoveryCodes(password)}
      changes={[]}
      onOpen={() => setPassword('')}
      result={(codes: readonly string[]) => (
        <div className="act-form">
          <p>Each signs you in once if you lose your authenticator. They are not shown again.</p>
          <pre className="codes">{codes.join('\n')}</pre>
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy the codes'}
              </Button>
            )}
          </CopyButton>
        </div>
      )}
    >
      <p>The old ones no longer work.</p>
      <PasswordField label="Your password" value={password} onChange={setPassword} />
    </ActButton>
  )
}

const NewAuthenticator = ({ address, onDone }: { readonly address: string; readonly onDone: () => void }) => {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => auth.confirmAuthenticator(code.replace(/\s/g, '')),
    onSuccess: () => {
      notifications.show({ message: 'The new authenticator is in use; the old one no longer works' })
      onDone()
    },
  })
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form className="act-form" onSubmit={onSubmit}>
      <p>Scan this with the new app. The old one works until you have entered a code of the new one.</p>
      <QrCode text={address} label="QR code for the authenticator" />
      <CopyText text={new URL(address).searchParams.get('secret') ?? ''} />
      <TextInput
        label="Code from the new app"
        inputMode="numeric"
        autoComplete="one-time-code"
        error={confirm.error && say(confirm.error.message)}
        data-autofocus
        {...typed(code, setCode)}
      />
      <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
        Use the new app
      </Button>
    </form>
  )
}

/** Sets up the authenticator again, for example on a new phone. */
export const RenewAuthenticator = () => {
  const [address, setAddress] = useState<string>()
  const begin = useMutation({
    mutationFn: auth.newAuthenticator,
    onSuccess: setAddress,
    onError: (error) => notifications.show({ color: 'red', title: 'Not done', message: say(error.message) }),
  })
  return (
    <>
      <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
        New authenticator…
      </Button>
      <Modal
        opened={address !== undefined}
        onClose={() => setAddress(undefined)}
        title="New authenticator"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {address !== undefined && <NewAuthenticator address={address} onDone={() => setAddress(undefined)} />}
      </Modal>
    </>
  )
}
