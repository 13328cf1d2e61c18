import { Button, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { api } from '../../api/client.ts'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'

const fields = [
  { name: 'supportEmail', label: 'E-mail', placeholder: 'help@shop.example', type: 'email' },
  { name: 'supportPhone', label: 'Phone', placeholder: '+78005553535', type: 'tel' },
  { name: 'supportLink', label: 'Page', placeholder: 'https://shop.example/help', type: 'url' },
  { name: 'supportMessenger', label: 'Chat', placeholder: 'https://t.me/shop', type: 'url' },
] as const

type Name = (typeof fields)[number]['name']

const contactsOf = ({ settings }: ProfileAnswer): Record<Name, string> => ({
  supportEmail: settings.supportEmail ?? '',
  supportPhone: settings.supportPhone ?? '',
  supportLink: settings.supportLink ?? '',
  supportMessenger: settings.supportMessenger ?? '',
})

const clean = (name: Name, text: string): string =>
  name === 'supportPhone' ? text.replaceAll(/[\s()-]/g, '') : text.trim()

/** How payers reach a merchant's support; shown to those whose payment went wrong. */
export const SupportContacts = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const saved = contactsOf(merchant)
  const [given, setGiven] = useState(saved)
  const mayChange = useMay('configure')
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const settings = Object.fromEntries(fields.map(({ name }) => [name, clean(name, given[name]) || null]))
      return api.patch(`/merchants/${merchant.id}`, { settings })
    },
    onSuccess: async () => {
      notifications.show({ message: 'Payers see the new contacts' })
      await queries.invalidateQueries({ queryKey: ['merchants'] })
    },
  })
  return (
    <form
      className="act-form"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <div>
        <p className="strong">Support of the shop</p>
        <p className="quiet small">Shown to payers whose payment expired, was canceled or is under review.</p>
      </div>
      {fields.map(({ name, ...field }) => (
        <TextInput
          key={name}
          {...field}
          size="xs"
          value={given[name]}
          maxLength={500}
          readOnly={!mayChange}
          onChange={({ currentTarget }) => setGiven({ ...given, [name]: currentTarget.value })}
        />
      ))}
      {mayChange && (
        <div className="drawer-actions">
          <Button
            type="submit"
            loading={save.isPending}
            disabled={fields.every(({ name }) => clean(name, given[name]) === saved[name])}
          >
            Save the contacts
          </Button>
        </div>
      )}
      {save.error !== null && <ProblemMessage error={save.error} />}
    </form>
  )
}
