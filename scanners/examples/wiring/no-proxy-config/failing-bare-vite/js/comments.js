const container = document.getElementById('comments');

export async function refresh() {
  try {
    const response = await fetch('/api/comments');
    const comments = await response.json();
    container.textContent = comments.join('\n');
  } catch (error) {
    container.textContent = 'Failed to load: ' + error.message;
  }
}

refresh();
