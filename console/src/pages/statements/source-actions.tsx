import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { approvedOfSource, type SourceAnswer } from '../../../../src/operations/sources.ts'
import { api } from '../../api/client.ts'
import { useMay } from '../../session.ts'
import { statementSources } from '../../api/statements.ts'
import { accountText, ApprovedList } from '../../parts/approved-list.tsx'
import { ActButton } from '../../parts/act-button.tsx'
import { RequisitesField } from '../../parts/requisite-field.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { personName } from '../../parts/field-values.tsx'
import { typedInto } from '../../parts/typed.ts'
import { EndPickup, SetPickup } from './source-pickup.tsx'

const changes = ['sources']

type Given = { readonly name: string; readonly requisiteIds: readonly string[]; readonly sameMoneyAs: string | null }

const empty: Given = { name: '', requisiteIds: [], sameMoneyAs: null }

type FieldsProps = { readonly given: Given; readonly id?: string; readonly onChange: (given: Given) => void }

/** The fields of a source; its name cannot be changed later. */
const SourceFields = ({ given, id, onChange }: FieldsProps) => {
  const field = typedInto(given, onChange)
  const { data: sources = [] } = useQuery(statementSources)
  return (
    <>
      {id === undefined && (
        <TextInput label="Name" placeholder="Volga Bank, by minute" maxLength={100} data-autofocus {...field('name')} />
      )}
      <RequisitesField
        about="The accounts for which it may report money"
        value={given.requisiteIds}
        onChange={(requisiteIds) => onChange({ ...given, requisiteIds })}
      />
      <Select
        label="Reports the same money as"
        description="What both report then counts as one transfer"
        placeholder="No other source"
        data={sources.filter((each) => each.id !== id).map((each) => ({ value: each.id, label: each.name }))}
        value={given.sameMoneyAs}
        onChange={(sameMoneyAs) => onChange({ ...given, sameMoneyAs })}
        clearable
        comboboxProps={{ zIndex: 400 }}
      />
    </>
  )
}

/** Adds a source of statements and pushes. */
export const AddSource = () => {
  const [given, setGiven] = useState(empty)
  const { name, requisiteIds, sameMoneyAs } = given
  return (
    <ActButton
      text="Add a source"
      variant="filled"
      title="Add a source"
      confirm="Add the source"
      onOpen={() => setGiven(empty)}
      isReady={name.trim() !== '' && requisiteIds.length > 0}
      run={() =>
        api.post('/statement-sources', {
          ...{ name: name.trim(), requisiteIds },
          ...(sameMoneyAs === null ? {} : { sameMoneyAs }),
        })
      }
      changes={changes}
      done={`${name.trim()} is added`}
    >
      <p>A bank, or one of your programs, that reports money for some accounts in files or by pushes.</p>
      <SourceFields given={given} onChange={setGiven} />
    </ActButton>
  )
}

const Change = ({ source }: { readonly source: SourceAnswer }) => {
  const start = (): Given => ({
    name: source.name,
    requisiteIds: source.requisiteIds,
    sameMoneyAs: source.sameMoneyAs ?? null,
  })
  const [given, setGiven] = useState(start)
  const { requisiteIds, sameMoneyAs } = given
  return (
    <ActButton
      text="Change…"
      title={`Change ${source.name}`}
      confirm="Save the source"
      onOpen={() => setGiven(start())}
      isReady={requisiteIds.length > 0}
      run={() => api.patch(`/statement-sources/${source.id}`, { requisiteIds, sameMoneyAs })}
      changes={changes}
      done={`${source.name} is changed`}
    >
      <SourceFields given={given} id={source.id} onChange={setGiven} />
    </ActButton>
  )
}

const RenewKey = ({ source: { id, name, keyPrefix } }: { readonly source: SourceAnswer }) => (
  <ActButton
    text={keyPrefix === undefined ? 'Make a key…' : 'New key…'}
    title={keyPrefix === undefined ? `A key for ${name}` : `Another key for ${name}?`}
    confirm="Make the key"
    run={() => api.post<{ key: string }>(`/statement-sources/${id}/key`, undefined)}
    changes={changes}
    result={({ key }: { readonly key: string }) => (
      <SecretOnce title={`The key of ${name}`} secret={key}>
        <p>
          Its program uses it to sign what it sends to <code>/api/v1/feeds/{id}/transfers</code>.
        </p>
      </SecretOnce>
    )}
    isGrave={keyPrefix !== undefined}
  >
    <p>
      {keyPrefix === undefined
        ? 'With a key a program pushes what the bank reports, as soon as it does.'
        : 'Its current key stops working now: its pushes are refused until the program has the new one.'}
    </p>
  </ActButton>
)

const EndKey = ({ source: { id, name } }: { readonly source: SourceAnswer }) => (
  <ActButton
    text="End the key…"
    title={`End the key of ${name}?`}
    confirm="End the key"
    run={() => api.post(`/statement-sources/${id}/key/end`, undefined)}
    changes={changes}
    done={`${name} can no longer push`}
    isGrave
  >
    <p>Its pushes are refused from now on. Files can still be uploaded for it.</p>
  </ActButton>
)

const Approve = ({ source }: { readonly source: SourceAnswer }) => {
  // Lists are read again while the dialog is open.
  const [seen, setSeen] = useState(source)
  const { id, name, unapproved, keyPrefix } = seen
  const { data: known = [] } = useQuery(statementSources)
  return (
    <ActButton
      text="Approve…"
      title={`Approve ${name}?`}
      confirm="Approve the source"
      onOpen={() => setSeen(source)}
      run={() => api.post(`/statement-sources/${id}/approve`, { version: unapproved?.version })}
      changes={changes}
      done={`${name} is approved`}
    >
      <p>
        {personName(unapproved?.by)} alone added it, changed it, or made its key. What it reports needs no second person
        any more once you approve it.
      </p>
      <ApprovedList of={approvedOfSource(seen, known, accountText)} />
      {keyPrefix !== undefined && (
        <p>Make sure that the bank, or the program in between, uses that key and nobody else has it.</p>
      )}
    </ActButton>
  )
}

/** What an operator can do about a source. */
export const SourceActs = ({ source }: { readonly source: SourceAnswer }) => {
  const mayConfigure = useMay('configure')
  const mayApprove = useMay('reconcile') && source.unapproved !== undefined
  if (!mayConfigure && !mayApprove) return null
  return (
    <div className="acts">
      {mayApprove && <Approve source={source} />}
      {mayConfigure && <Change source={source} />}
      {mayConfigure && <SetPickup source={source} />}
      {mayConfigure && source.pickup !== undefined && <EndPickup source={source} />}
      {mayConfigure && <RenewKey source={source} />}
      {mayConfigure && source.keyPrefix !== undefined && <EndKey source={source} />}
    </div>
  )
}
