#pragma once

#include <memory>
#include <utility>

namespace orbis {

/// What a callback holds of an object that may be gone when it is called: null then. Copies may go through
/// any thread; it is asked in the thread in which the object ends.
template <typename T>
class SelfRef {
public:
    explicit SelfRef(std::shared_ptr<T*> place) : place_(std::move(place)) {}

    [[nodiscard]] T* get() const { return *place_; }
    [[nodiscard]] T* operator->() const { return *place_; }
    [[nodiscard]] T& operator*() const { return **place_; }
    explicit operator bool() const { return *place_ != nullptr; }

private:
    std::shared_ptr<T*> place_;
};

/// A member of an object that gives itself to callbacks: `Self<Session> self_{this};`.
template <typename T>
class Self {
public:
    explicit Self(T* object) : place_(std::make_shared<T*>(object)) {}
    ~Self() { end(); }
    Self(const Self&) = delete;
    Self& operator=(const Self&) = delete;

    [[nodiscard]] SelfRef<T> ref() const { return SelfRef<T>(place_); }
    /// From now on callbacks find nothing. To be called by a destructor that still does something.
    void end() { *place_ = nullptr; }

private:
    std::shared_ptr<T*> place_;
};

} // namespace orbis
