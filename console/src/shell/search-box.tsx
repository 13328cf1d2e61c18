import { Combobox, Kbd, Loader, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { FoundAnswer } from '../../../src/operations/search.ts'
import { readTyped, search } from '../api/search.ts'
import { Icon } from '../parts/icon.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { dayAndYear } from '../time.ts'
import { useKeys } from './use-keys.ts'
import { say } from '../language.ts'

/** Where a result opens: a transfer at its payment, or in the queue if it has none. */
const addressOf = ({ kind, id, merchantId = '', paymentId, requisiteId, amount }: FoundAnswer) => {
  if (kind === 'merchant') return { to: '/merchants/$merchantId', params: { merchantId: id }, search: {} } as const
  if (kind === 'requisite') return { to: '/requisites', search: { open: id } } as const
  if (kind === 'settlement') return { to: '/settlements', search: { open: `${merchantId}/${id}` } } as const
  if (kind === 'request')
    return { to: '/merchants/$merchantId', params: { merchantId }, search: { tab: 'requests', open: id } } as const
  if (kind === 'transfer' && paymentId === undefined)
    return {
      to: '/matching',
      search: { requisiteId, amount: amount === undefined ? undefined : String(amount) },
    } as const
  return { to: '/payments', search: { open: `${merchantId}/${paymentId ?? id}` } } as const
}

const keyOf = ({ kind, id }: FoundAnswer): string => `${kind} ${id}`

const Result = ({ found }: { readonly found: FoundAnswer }) => (
  <div className="found">
    <span className="found-kind">{say(found.kind)}</span>
    <span className="found-label">{found.label ?? found.name ?? found.number ?? found.id}</span>
    {found.currency !== undefined && <MoneyText amount={found.amount} currency={found.currency} />}
    <span className="quiet small">{found.state && say(found.state)}</span>
    <span className="quiet small found-time">
      <Moment at={found.at} show="relative" />
    </span>
  </div>
)

type ResultsProps = {
  readonly wanted: string
  readonly results: readonly FoundAnswer[]
  readonly isFetching: boolean
}

const Results = ({ wanted, results, isFetching }: ResultsProps) => {
  const { q, day } = readTyped(wanted)
  return (
    <Combobox.Dropdown hidden={wanted === ''} className="found-list">
      {day !== null && (
        <Combobox.Header>
          {q === undefined ? 'Everything' : `“${q}”`} of {dayAndYear.format(day.from)}
        </Combobox.Header>
      )}
      <Combobox.Options aria-label="Results">
        {results.map((found) => (
          <Combobox.Option key={keyOf(found)} value={keyOf(found)}>
            <Result found={found} />
          </Combobox.Option>
        ))}
        {results.length === 0 && !isFetching && (
          <Combobox.Empty>
            Nothing has “{q ?? wanted}”{day !== null && ' on that day'}. Words of names take some seconds to be found.
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox.Dropdown>
  )
}

/** The results for what was typed a moment ago; `answered` says that they belong to the text as it is now. */
const useResults = (text: string) => {
  const [wanted] = useDebouncedValue(text, 150)
  const { data, isFetching, isPlaceholderData } = useQuery({ ...search(wanted), placeholderData: keepPreviousData })
  const results = wanted === '' ? [] : (data?.results ?? [])
  const answered = wanted !== '' && text === wanted && data !== undefined && !isPlaceholderData
  return { wanted, results, answered, isFetching }
}

/**
 * One box that finds payments, transfers, settlements, merchants, requisites and requests by anything known about them;
 * the key `/` moves the focus here.
 */
export const SearchBox = () => {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const navigate = useNavigate()
  useKeys({ '/': () => input.current?.focus() })
  const { wanted, results, answered, isFetching } = useResults(text.trim())
  const [entered, setEntered] = useState(false)

  // Enter opens the best result as soon as there is one.
  const first = results[0]?.id
  useEffect(() => {
    if (first !== undefined) combobox.selectFirstOption()
  }, [first])

  const open = (key: string): void => {
    const found = results.find((each) => keyOf(each) === key)
    if (found === undefined) return
    setText('')
    setEntered(false)
    combobox.closeDropdown()
    input.current?.blur()
    void navigate(addressOf(found))
  }
  // If Enter is pressed before the response has arrived, it waits for it.
  useEffect(() => {
    if (!entered || !answered) return
    setEntered(false)
    if (results[0] !== undefined) open(keyOf(results[0]))
  }, [entered, answered])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') input.current?.blur()
    if (event.key !== 'Enter' || answered) return
    combobox.resetSelectedOption()
    setEntered(text.trim() !== '')
  }

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={open}
      shadow="md"
      width="max-content"
      position="bottom-start"
      withinPortal={false}
    >
      <Combobox.Target>
        <TextInput
          ref={input}
          className="search-box"
          size="sm"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setEntered(false)
            combobox.openDropdown()
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => {
            setEntered(false)
            combobox.closeDropdown()
          }}
          onKeyDown={onKeyDown}
          placeholder="Order, amount, phone, last digits, reference, day…"
          aria-label="Search"
          leftSection={isFetching ? <Loader size={14} /> : <Icon name="search" />}
          rightSection={text === '' ? <Kbd size="xs">/</Kbd> : undefined}
        />
      </Combobox.Target>
      <Results wanted={wanted} results={results} isFetching={isFetching} />
    </Combobox>
  )
}
