import { Button, Loader, PasswordInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auth, type Invited, type NextStep } from '../../api/auth.ts'
import { passwordLength } from '../../../../src/rules/members/member.ts'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { SecondFactor } from './sign-in.tsx'
import { useAction } from './use-action.ts'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'

/** The token after the # of the address, which is never sent to a server. */
const token = (): string => location.hash.slice(1)

const goOn = (): void => location.assign('/console/')

type Accepted = { readonly step: NextStep; readonly password: string }
type Props = { readonly invited: Invited; readonly onDone: (accepted: Accepted) => void }

const Acceptance = ({ invited, onDone }: Props) => {
  const [password, setPassword] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const isOpen = invited.name === ''
  const { isBusy, error, onSubmit } = useAction(async () => {
    await auth.acceptInvitation({ token: token(), password, ...(isOpen ? { name, email } : {}) })
    // Signed in at once: nobody types a new password twice.
    await auth.signIn(isOpen ? email : invited.email, password).then((step) => onDone({ step, password }), goOn)
  })
  return (
    <form onSubmit={onSubmit} className="sign-in-form">
      {isOpen ? (
        <>
          <p className="quiet">You become the first {invited.role} of this installation.</p>
          <TextInput
            label="Your short name"
            description="Lower-case letters, such as anna. Notes and the audit show it."
            autoComplete="nickname"
            pattern="[a-z0-9][a-z0-9.\-]{0,39}"
            size="md"
            {...typed(name, setName)}
            required
            withAsterisk={false}
          />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            size="md"
            {...typed(email, setEmail)}
            required
            withAsterisk={false}
          />
        </>
      ) : (
        <p>
          <strong>{invited.name}</strong>, {invited.role}
          <br />
          <span className="quiet">{invited.email}</span>
          <input type="hidden" autoComplete="username" value={invited.email} readOnly />
        </p>
      )}
      <PasswordInput
        label="Choose a password"
        description={`At least ${passwordLength.least} characters.`}
        autoComplete="new-password"
        minLength={passwordLength.least}
        maxLength={passwordLength.most}
        size="md"
        {...typed(password, setPassword)}
        error={error && say(error.message)}
        required
        withAsterisk={false}
      />
      <Button type="submit" size="sm" loading={isBusy}>
        Set the password
      </Button>
    </form>
  )
}

/** The page of a link with which somebody creates an account or sets a new password. */
export const Invitation = () => {
  const [accepted, setAccepted] = useState<Accepted>()
  const { data, error } = useQuery({
    queryKey: ['invitation'],
    queryFn: () => auth.readInvitation(token()),
    staleTime: Infinity,
    retry: false,
  })
  if (accepted !== undefined) return <SecondFactor {...accepted} onDone={goOn} />
  return (
    <SignInFrame title="Welcome to Payin">
      {error !== null && <ProblemMessage error={error} />}
      {data === undefined && error === null && <Loader size="sm" role="status" aria-label="Loading" />}
      {data !== undefined && <Acceptance invited={data} onDone={setAccepted} />}
    </SignInFrame>
  )
}
