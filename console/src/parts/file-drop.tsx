import { useEffect, useRef, useState } from 'react'
import './file-drop.css'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

type Props = {
  /** Shown while files are held over the page. */
  readonly text: string
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page. */
export const FileDrop = ({ text, onFiles }: Props) => {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  useEffect(() => {
    take.current = onFiles
  })
  useEffect(() => {
    // Every element that is entered is left later: the pointer has left the page when as many were left as entered.
    let inside = 0
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      inside += 1
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      inside -= 1
      if (inside <= 0) setOver(false)
    }
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      inside = 0
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) take.current(files)
    }
    const handlers = Object.entries({ dragenter: enter, dragleave: leave, dragover: over, drop })
    for (const [name, handle] of handlers) document.addEventListener(name, handle as EventListener)
    return () => {
      for (const [name, handle] of handlers) document.removeEventListener(name, handle as EventListener)
    }
  }, [])
  return isOver ? (
    <div className="file-drop" role="status">
      <p>{text}</p>
    </div>
  ) : null
}
