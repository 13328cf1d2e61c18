import { Checkbox, PasswordInput, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PickedFile, SourceAnswer } from '../../../../src/operations/sources.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { typedInto } from '../../parts/typed.ts'

const changes = ['sources']

const kinds = [
  { value: 'folder:', label: 'A folder of the service' },
  { value: 'imaps://', label: 'A mailbox (IMAP)' },
  { value: 'sftp://', label: 'An SFTP server' },
]

type Given = {
  readonly kind: string
  /** What follows the kind in the address. */
  readonly place: string
  readonly senders: string
  readonly checkedBy: string
  readonly hostKey: string
  readonly secret: string
  readonly importsAlone: boolean
}

/** Users of mailboxes are often addresses themselves: their `@` is not the one before the server. */
const encodeUser = (place: string): string => {
  const at = place.lastIndexOf('@')
  return at < 0 ? place : encodeURIComponent(place.slice(0, at)) + place.slice(at)
}

const decodeUser = (place: string): string => place.replaceAll('%40', '@')

const startOf = ({ pickup }: SourceAnswer): Given => {
  const kind = kinds.find(({ value }) => pickup?.address.startsWith(value))?.value ?? 'folder:'
  return {
    ...{
      kind,
      place: decodeUser(pickup?.address.slice(kind.length) ?? ''),
      senders: pickup?.senders?.join(', ') ?? '',
    },
    ...{ checkedBy: pickup?.checkedBy ?? '', hostKey: pickup?.hostKey ?? '', secret: '' },
    importsAlone: pickup?.importsAlone ?? false,
  }
}

const bodyOf = ({ kind, place, senders, checkedBy, hostKey, secret, importsAlone }: Given) => ({
  ...{ address: kind + (kind === 'folder:' ? place.trim() : encodeUser(place.trim())), importsAlone },
  ...(kind !== 'folder:' && { secret: secret.trim() }),
  ...(kind === 'imaps://' && { senders: senders.split(/[\s,]+/).filter(Boolean), checkedBy: checkedBy.trim() }),
  ...(kind === 'sftp://' && { hostKey: hostKey.trim() }),
})

const placeAbout: Readonly<Record<string, { readonly label: string; readonly placeholder: string }>> = {
  'folder:': { label: 'Folder inside PAYIN_PICKUP_FOLDER', placeholder: 'volga' },
  'imaps://': { label: 'User, server and mailbox', placeholder: 'reports@mail.shop.example/INBOX' },
  'sftp://': { label: 'User, server and folder', placeholder: 'payin@files.volga.example/out' },
}

/** Sets where the files of a source are picked up. */
export const SetPickup = ({ source }: { readonly source: SourceAnswer }) => {
  const [given, setGiven] = useState(() => startOf(source))
  const { kind, place, secret, importsAlone } = given
  const field = typedInto(given, setGiven)
  return (
    <ActButton
      text={source.pickup === undefined ? 'Pick up files…' : 'Change the pickup…'}
      title={`Pick up the files of ${source.name}`}
      confirm="Save the pickup"
      onOpen={() => setGiven(startOf(source))}
      isReady={place.trim() !== '' && (kind === 'folder:' || secret.trim() !== '')}
      run={() => api.put(`/statement-sources/${source.id}/pickup`, bodyOf(given))}
      changes={changes}
      done={`Files of ${source.name} are picked up every minute`}
    >
      <p>Each file is taken once; nothing there is moved or deleted.</p>
      <Select
        label="From"
        data={kinds}
        value={kind}
        onChange={(value) => setGiven({ ...given, kind: value ?? 'folder:' })}
        allowDeselect={false}
        comboboxProps={{ zIndex: 400 }}
      />
      <TextInput {...placeAbout[kind]} maxLength={400} data-autofocus {...field('place')} />
      {kind === 'imaps://' && (
        <>
          <TextInput
            label="Accept mails from"
            description="Whole addresses, or domains with their @, separated by commas"
            placeholder="statements@volga.example"
            {...field('senders')}
          />
          <TextInput
            label="Mail server that checks senders"
            description="The first word of the topmost Authentication-Results in a mail of the bank: anybody can send in its name, and only your mail server knows who did"
            placeholder="mx.shop.example"
            {...field('checkedBy')}
          />
        </>
      )}
      {kind === 'sftp://' && (
        <TextInput
          label="Fingerprint of the server's key"
          description="As the bank states it"
          placeholder="SHA256:…"
          {...field('hostKey')}
        />
      )}
      {kind === 'imaps://' && (
        <PasswordInput
          label="Password"
          description="It is sealed, and never shown again"
          autoComplete="off"
          {...field('secret')}
        />
      )}
      {kind === 'sftp://' && (
        <Textarea
          label="Password or private key"
          description="It is sealed, and never shown again"
          autosize
          maxRows={6}
          autoComplete="off"
          {...field('secret')}
        />
      )}
      <Checkbox
        label="Import files without a person where there is no doubt"
        checked={importsAlone}
        onChange={(event) => setGiven({ ...given, importsAlone: event.currentTarget.checked })}
      />
    </ActButton>
  )
}

/** Ends the pickup of a source. */
export const EndPickup = ({ source: { id, name } }: { readonly source: SourceAnswer }) => (
  <ActButton
    text="End the pickup…"
    title={`No longer pick up files of ${name}?`}
    confirm="End the pickup"
    run={() => api.post(`/statement-sources/${id}/pickup/end`, undefined)}
    changes={changes}
    done={`Files of ${name} are no longer picked up`}
    isGrave
  >
    <p>What was picked up stays.</p>
  </ActButton>
)

/** The last files of a source that were picked up, or refused. */
export const PickedFiles = ({ source: { id } }: { readonly source: SourceAnswer }) => {
  const { data } = useQuery({
    queryKey: ['sources', 'files', id],
    queryFn: () => api.get<{ files: PickedFile[] }>(`/statement-sources/${id}/files`, { limit: '20' }),
  })
  if (data === undefined) return null
  return (
    <section>
      <h2>Files that came</h2>
      {data.files.length === 0 && (
        <p className="quiet">None yet: a file in a folder is taken within two minutes, once it stops changing.</p>
      )}
      <ul className="plain-rows">
        {data.files.map((file) => (
          <li key={file.id}>
            <div>
              {file.statementId === undefined ? (
                file.name
              ) : (
                <Link to="/statements/$id" params={{ id: file.statementId }}>
                  {file.name}
                </Link>
              )}
              <div className="quiet small">{file.origin}</div>
              {file.problem !== undefined && <div className="text-wait small">{file.problem}</div>}
            </div>
            <Moment at={file.pickedAt} show="relative" />
          </li>
        ))}
      </ul>
    </section>
  )
}
