import { Kbd, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type SyntheticEvent, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useKeys } from './use-keys.ts'
import { typed } from '../parts/typed.ts'

/** Opens a payment of the merchant by its exact order; the key `/` moves the focus here. */
export const OrderBox = () => {
  const [order, setOrder] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  useKeys({ '/': () => input.current?.focus() })
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    const open = order.trim()
    if (open === '') return
    setOrder('')
    input.current?.blur()
    void navigate({ to: '/portal/payments', search: { open } })
  }
  return (
    <form onSubmit={onSubmit}>
      <TextInput
        ref={input}
        size="sm"
        {...typed(order, setOrder)}
        onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
        placeholder="Order, then Enter"
        aria-label="Find an order"
        leftSection={<Icon name="search" />}
        rightSection={order === '' ? <Kbd size="xs">/</Kbd> : undefined}
      />
    </form>
  )
}
