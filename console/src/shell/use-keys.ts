import { useEffect, useRef } from 'react'

/** Handlers by the name of a key (`j`, `Enter`, `shift+?`) or of a sequence of two (`g p`). */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** How long the second key of a sequence may take. */
const sequenceMs = 1200

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input:not([type="radio"], [type="checkbox"]), textarea, select') !== null)

/** Whether Enter would press the focused element. */
const isPressed = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof HTMLElement && target.closest('button, a') !== null

/** Whether a dialog is open: then the keys of the page below are ignored. */
const hasDialog = (): boolean => document.querySelector('[role="dialog"]') !== null

/** Handles keys anywhere on the page except in fields; with `inDialogs`, also while a dialog is open. */
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
