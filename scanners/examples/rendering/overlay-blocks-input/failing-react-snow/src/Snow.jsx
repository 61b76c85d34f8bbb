import { useEffect, useRef } from 'react'

export function Snow() {
  const canvas = useRef(null)
  useEffect(() => {
    const context = canvas.current.getContext('2d')
    context.fillStyle = 'white'
    for (let flake = 0; flake < 80; flake += 1) {
      context.fillRect(Math.random() * 300, Math.random() * 150, 1, 1)
    }
  }, [])
  return <canvas ref={canvas} className="snow" aria-hidden="true" />
}
