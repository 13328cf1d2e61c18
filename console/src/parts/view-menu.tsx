import { Button, Menu, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import type { ViewedList } from '../../../src/domain/saved-view.ts'
import type { Query } from '../api/client.ts'
import { deleteView, saveView, views } from '../api/views.ts'
import { Icon } from './icon.tsx'

type Props = { readonly list: ViewedList; readonly filters: Query; readonly onChoose: (filters: Query) => void }

/** The person's saved views of a list. */
export const ViewMenu = ({ list, filters, onChoose }: Props) => {
  const [name, setName] = useState('')
  const queries = useQueryClient()
  const { data = [] } = useQuery(views)
  const own = data.filter((view) => view.list === list)
  const onError = (error: Error) => notifications.show({ color: 'red', title: 'Not done', message: error.message })
  const onSuccess = ({ views: saved }: { views: typeof data }) => queries.setQueryData(views.queryKey, saved)
  const save = useMutation({ mutationFn: () => saveView(list, name.trim(), filters), onSuccess, onError })
  const remove = useMutation({ mutationFn: (view: string) => deleteView(list, view), onSuccess, onError })
  const canSave = name.trim() !== '' && Object.values(filters).some(Boolean)
  const onSave = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (canSave) save.mutate(undefined, { onSuccess: () => setName('') })
  }
  return (
    <Menu position="bottom-end" shadow="md" width={260} closeOnItemClick>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="star" size={14} />}>
          Views
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {own.length === 0 && <Menu.Label>No views yet: set filters and save them under a name.</Menu.Label>}
        {own.map((view) => (
          <div key={view.name} className="view-line">
            <Menu.Item onClick={() => onChoose(view.filters)}>{view.name}</Menu.Item>
            <Menu.Item
              className="view-remove"
              aria-label={`Delete the view ${view.name}`}
              onClick={() => remove.mutate(view.name)}
            >
              <Icon name="close" size={14} />
            </Menu.Item>
          </div>
        ))}
        <Menu.Divider />
        <form className="view-save" onSubmit={onSave}>
          <TextInput
            aria-label="Name of a new view"
            placeholder="Save these filters as…"
            value={name}
            maxLength={60}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => event.key !== 'Escape' && event.stopPropagation()}
          />
          <Button type="submit" disabled={!canSave} loading={save.isPending}>
            Save
          </Button>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
