import { Button, CopyButton, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { passwordLength } from '../../../../src/domain/member.ts'
import { auth } from '../../api/auth.ts'
import { ActButton } from '../../parts/act-button.tsx'

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
    value={value}
    {...(isNew ? { description: `At least ${passwordLength.least} characters` } : {})}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

/** Changes the password, and ends the other sessions by it. */
export const ChangePassword = () => {
  const [given, setGiven] = useState({ current: '', next: '', again: '' })
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
        value={given.again}
        error={given.again !== '' && given.again !== given.next && 'It is another one'}
        onChange={(event) => setGiven({ ...given, again: event.currentTarget.value })}
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
          <p>Each lets you in once when your authenticator is lost. They are not shown again.</p>
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
