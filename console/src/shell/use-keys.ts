import { useEffect, useRef } from 'react'

/** What keys do, by their names (`j`, `Enter`, `shift+?`) or a sequence of two (`g p`). */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** How long the second key of a sequence may take. */
const sequenceMs = 1200

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select') !== null)

/** Whether Enter belongs to what has the focus. */
const isPressed = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof HTMLElement && target.closest('button, a') !== null

/** Whether a dialog is open: the keys of the page below it rest. */
const hasDialog = (): boolean => document.querySelector('[role="dialog"]') !== null

/** Handles keys anywhere on the page, except in fields; with `inDialogs` also while one is open. */
export const useKeys = (keys: Keys, { inDialogs = false } = {}): void => {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    let first = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.metaKey || takesText(event.target) || isPressed(event)) return
      if (!inDialogs && hasDialog()) return
      const name = `${event.ctrlKey ? 'ctrl+' : ''}${event.key}`
      const handle = current.current[`${first} ${name}`] ?? current.current[name]
      clearTimeout(timer)
      first = ''
      if (handle !== undefined) {
        event.preventDefault()
        handle(event)
        return
      }
      first = name
      timer = setTimeout(() => (first = ''), sequenceMs)
    }
    document.addEventListener('keydown', onKey)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', onKey)
    }
  }, [inDialogs])
}
